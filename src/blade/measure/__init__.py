"""Facts become numbers: outcomes, rates, intervals, paired comparison, power. Pure functions on arrays."""
