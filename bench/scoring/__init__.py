"""How well reports are told apart: true ones from false ones, whoever wrote them; and planted errors found.

    python -m bench.scoring

The golden reports are written by two hands about simulated runs, the candidates by others, none of them by the
controls of the product.
"""
