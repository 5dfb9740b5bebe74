"""What scores of tasks and their comparisons rest on, as BibTeX."""

BENCHMARK = """@misc{ulysses-senteval,
  title        = {Ulysses {SentEval}},
  howpublished = {https://github.com/ulysses-camara/ulysses-senteval, commit f2a12c2}
}"""
INTERVALS = """@article{nadeau-bengio-2003,
  author  = {Nadeau, Claude and Bengio, Yoshua},
  title   = {Inference for the Generalization Error},
  journal = {Machine Learning},
  volume  = {52},
  pages   = {239--281},
  year    = {2003}
}"""
TESTS = """@inproceedings{bayle-2020,
  author    = {Bayle, Pierre and Bayle, Alexandre and Janson, Lucas and Mackey, Lester},
  title     = {Cross-validation Confidence Intervals for Test Error},
  booktitle = {Advances in Neural Information Processing Systems},
  volume    = {33},
  year      = {2020}
}

@inproceedings{bouckaert-frank-2004,
  author    = {Bouckaert, Remco R. and Frank, Eibe},
  title     = {Evaluating the Replicability of Significance Tests for Comparing Learning Algorithms},
  booktitle = {Advances in Knowledge Discovery and Data Mining},
  pages     = {3--12},
  year      = {2004}
}

@article{demsar-2006,
  author  = {Dem{\\v{s}}ar, Janez},
  title   = {Statistical Comparisons of Classifiers over Multiple Data Sets},
  journal = {Journal of Machine Learning Research},
  volume  = {7},
  pages   = {1--30},
  year    = {2006}
}"""
