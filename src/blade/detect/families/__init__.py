"""The detectors, one module for each family of signals; `blade.detect.detectors` lists the modules."""
