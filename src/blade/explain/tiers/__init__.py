"""Where modes come from: one module for each tier, found by being here. The place of each stands in its `@tier`.

Places 1 to 9 are those of the method: 1 rules of a benchmark's profile, 2 what ended the rollout, 3 the verifier's own
fields, 4 expected against actual, 5 contrast within a task, 6 templates of error texts, 7 behaviour signals, 8 wrong
answers. What no tier explains is told as such.
"""
