"""How often BLADE names what was planted: a diagnosis of simulated runs, held against the truth about them.

    python -m bench.diagnosis [--quick] [--stage signals|contrast|all] [--seeds N]

A case is a fault of a simulated world (`examples/`), planted in one of two runs at a rate per rollout and on a share
of the tasks; both runs also have gaps in what the model knows, and harmless habits (decoys). `blade.why` gets the
rollouts files, with all that lies beside them but the truth. What it says is checked:

verdict     `better` or `worse` where a sign-flip test of the true outcomes finds p < 0.05, both over the measured
            rollouts and with the not-measured ones counted as failures; else `no difference shown`. Where a p is
            between 0.04 and 0.06, either is right.
delta       is that of the true outcomes over the common tasks to 1e-9.
cause       The cause with the largest sum of points in the direction of the delta is the planted one. A fault that
            leaves rollouts unmeasured moves no delta: there it is the cause under which the faulted run's modes hold
            most of its unmeasured rollouts. Not asked where noise is larger than what was planted.
shares      The points of every cause are those of the truth to 2 points. Some failures for want of knowledge nobody
            can call a gap or unreliable: those on tasks with fewer than four rollouts that tell (by passing, or by
            failing in that way), and those that look like the other by chance. They may be counted as KG, UK or
            `unknown`; the three together must be right to 2 points. For runs of fewer than four repeats, KG, UK
            and `unknown` are one cause in every check.
precision   Of the rollouts under the modes that make up the main cause's change, at least 0.9 are decided by the
            planted fault. These are the largest modes of the cause that go in the direction of the delta, until
            they carry 0.9 of what all of them carry.
recall      Of the rollouts that the planted fault decides in the faulted run, at least 0.8 are under those modes.
owner       The largest of those modes has an owner that the truth names.
decoys      No mode beyond noise is a decoy. One is, where the failures that show some decoy are more like its
            rollouts than those of any true fault (by the Jaccard index over both runs), have a larger share of them,
            and a share far above that of the decoy in all failures: at least halfway from there to all.
story       Pure noise only: no mode is beyond noise. Offsetting cases: both planted changes have a mode beyond noise
            with the right cause and sign.
health      Faults of the benchmark itself: the finding about it names at least 0.8 of the tasks concerned, and at
            least 0.9 of those that it names are concerned.

A check that a case does not ask is left out of its rate.
"""
