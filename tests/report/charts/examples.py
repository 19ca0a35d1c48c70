"""Charts of made-up numbers, one or more of every kind."""

from blade.report.charts.estimate import Estimate
from blade.report.charts.waterfall import Term, Waterfall

WATERFALL = Waterfall(
    title="What the difference is made of",
    description="Each step is a failure mode, as wide as what it costs or gives back.",
    baseline="harbour-large-2024-05",
    candidate="harbour-large-2024-06",
    rates=(0.642, 0.569),
    delta=Estimate(-7.3, -10.9, -3.6),
    terms=(
        Term(label="Answered before the last required booking was made", points=-4.4, low=-6.5, high=-2.3, cause="BI"),
        Term(label="Output cut by the token limit", points=-3.1, low=-4.6, high=-1.5, cause="IR"),
        Term(label="Wrong currency in the total", points=-1.0, low=-2.4, high=0.5, cause="KG", within_noise=True),
        Term(label="The verifier rejects a right answer: trailing full stop", points=1.9, low=0.6, high=3.3, cause="TI"),
        Term(label="Sometimes right, sometimes not: departure times", points=-0.9, low=-2.9, high=1.1, cause="UK", within_noise=True),
        Term(label="no explanation", points=0.3, low=-1.1, high=1.7, cause="unknown", within_noise=True),
        Term(label="Duplicate task rows", points=-0.1, low=-0.3, high=0.1, cause="DA", within_noise=True),
    ),
)

EXAMPLES = {"waterfall": WATERFALL}
