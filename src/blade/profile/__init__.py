"""What the people of a benchmark know about it, as a file that runs: `profile.toml`."""

from blade.profile.finding import find_profile
from blade.profile.reading import Problem, Profile, Rule, load_profile, read_profile

__all__ = ["Problem", "Profile", "Rule", "find_profile", "load_profile", "read_profile"]
