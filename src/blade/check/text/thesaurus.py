"""Words that mean the same where runs, failures and their reasons are spoken of: groups that end with a semicolon."""

from typing import Final

_TEXT: Final = """
rollout rollouts attempt attempts try tries trial trials repeat repeats repetition sample samples shot shots
    pass-through ;
task tasks problem problems item items question questions exercise case cases instance puzzle assignment ;
run runs evaluation evaluations experiment ;
call calls called calling invoke invokes invoked invocation invocations issue issued use used uses using usage
    utilise ;
answer answers answered reply replies replied response respond responds output outputs says said say states
    stated gives gave given give returns returned return ;
expected expect expects expectation gold golden reference truth wanted wants required requires demanded demands
    demand asked should needed needs ;
wrong incorrect false mistaken erroneous bad invalid error errors mistake inaccurate faulty ;
correct right true valid accurate proper ;
skip skips skipped skipping omit omits omitted omission forgo bypass bypassed neglect neglects neglected forgot
    forget forgets ;
stop stops stopped stopping quit quits halt halts abandon abandons abandoned ends ended ending terminate
    terminated aborts aborted finish finished ;
early premature prematurely soon ;
loop loops looping looped cycle cycles repeatedly ;
timeout timeouts timed deadline ;
truncate truncated truncation cut cutoff ;
format formatted formatting form layout wrapper schema shape ;
missing absent lacking lacks lack lacked misses gone ;
extra additional superfluous surplus unneeded needless spurious ;
verifier verifiers grader graders judge judged judges checker scorer scoring verification grading verdict
    evaluator ;
exception exceptions failure failures crash crashes crashed ;
model models agent agents policy assistant llm ;
tool tools function functions api endpoint ;
argument arguments parameter parameters field fields value values ;
lookup lookups search searches searched searching query queries queried find finds found look looks looked
    retrieve retrieved fetch fetches locate directory ;
create creates created add adds added insert inserts make makes made book books booked schedule scheduled put ;
delete deletes deleted remove removes removed cancel cancels cancelled drop drops dropped ;
update updates updated change changes changed modify modifies modified edit edits edited set sets shift shifts
    shifted ;
largest biggest greatest main dominant top chief leading foremost major primary principal prime ;
slice slices category categories group groups subset family families segment kind class type ;
gap difference differences delta differs differ discrepancy diverge diverges divergence part parts deviate ;
noise chance random randomness luck ;
knowledge know knows knowing recall recalls memory factual ;
infrastructure infra server servers sandbox network machinery backend outage ;
prompt prompts instruction instructions instructed ;
fix fixes repair remedy mend recommend recommendation recommendations recommended intervention ;
cause causes caused reason reasons because due root why explanation explains explained origin ;
token tokens ;
first earliest initial initially ;
rest remaining remainder ;
date dates day days ;
number numbers figure figures count counts amount amounts quantity sum total ;
year years ;
text string strings wording phrase ;
solve solves solved solution ;
message messages mail mails email ;
share proportion fraction portion rate percentage ;
guess guesses guessed guessing assume assumes assumed assumption invent invents invented hallucinate
    hallucinated hallucination fabricate fabricated made-up ;
identical same equal equals equally alike matches match matching matched agree agrees ;
ask asks asking clarify clarification confirm confirmation permission ;
instead rather place ;
attributable attributed blame blamed owing responsible ;
limit limits budget cap ceiling ;
recover recovers recovery recovered retry retries retried ;
evidence proof shows show shown showing demonstrates demonstrate ;
lose loses lost losing loss losses ;
average mean ;
consistent consistently stable reliably reliable ;
unstable flaky inconsistent varies vary varying fluctuates erratic unreliable ;
convert converts converted conversion unit units ;
confuse confuses confused mix mixes mixed swap swaps swapped exchange exchanged ;
ignore ignores ignored disregard disregards disregarded overlook overlooks overlooked ;
check checks checked checking verify verifies verified inspect inspects validate validates ;
write writes wrote written record records recorded enter enters entered ;
duplicate duplicates duplicated ;
claim claims claimed assert asserts asserted ;
begin begins began start starts started ;
"""

GROUPS: Final = [group.split() for group in _TEXT.split(";") if group.strip()]
"""Each group begins with the word that stands for it."""
