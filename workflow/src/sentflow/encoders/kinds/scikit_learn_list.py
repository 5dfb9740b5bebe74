"""The classes of scikit-learn that an entry may name, and of each the arguments that it may give.

Closed by default, for an argument can be a path that joblib unpickles (`memory`), a wish to read the files that
texts name (`input`), or code. Left out as well: `n_jobs`, because threads are a matter of the profile; `verbose`,
`copy` and `dtype`, which change no vector here; and classes that need labels or a function.

Standard library only: the Snakefile imports this module in every job.
"""

PARTS = frozenset({"steps", "transformer_list"})  # lists of a name and a step each
PART_WEIGHTS = "transformer_weights"  # part → number
SEED = "random_state"

_TEXT = "strip_accents lowercase stop_words token_pattern ngram_range analyzer binary"
_COUNTS = f"{_TEXT} max_df min_df max_features vocabulary"
_TFIDF = "norm use_idf smooth_idf sublinear_tf"
_CLUSTERS = "n_clusters init n_init max_iter tol random_state"
_NMF = "n_components init beta_loss tol max_iter alpha_W alpha_H l1_ratio random_state"

_ALLOWED = {
    "sklearn.feature_extraction.text": {
        "CountVectorizer": _COUNTS,
        "HashingVectorizer": f"{_TEXT} n_features norm alternate_sign",
        "TfidfTransformer": _TFIDF,
        "TfidfVectorizer": f"{_COUNTS} {_TFIDF}",
    },
    "sklearn.pipeline": {
        "FeatureUnion": f"transformer_list {PART_WEIGHTS}",
        "Pipeline": "steps",
    },
    "sklearn.decomposition": {
        "FactorAnalysis": "n_components tol max_iter svd_method iterated_power rotation random_state",
        "FastICA": "n_components algorithm whiten fun max_iter tol whiten_solver random_state",
        "IncrementalPCA": "n_components whiten batch_size",
        "KernelPCA": "n_components kernel gamma degree coef0 eigen_solver tol max_iter iterated_power "
        "remove_zero_eig random_state",
        "LatentDirichletAllocation": "n_components doc_topic_prior topic_word_prior learning_method learning_decay "
        "learning_offset max_iter batch_size mean_change_tol max_doc_update_iter random_state",
        "MiniBatchNMF": f"{_NMF} batch_size max_no_improvement forget_factor fresh_restarts "
        "fresh_restarts_max_iter transform_max_iter",
        "NMF": f"{_NMF} solver shuffle",
        "PCA": "n_components whiten svd_solver tol iterated_power n_oversamples power_iteration_normalizer "
        "random_state",
        "TruncatedSVD": "n_components algorithm n_iter n_oversamples power_iteration_normalizer tol random_state",
    },
    "sklearn.random_projection": {
        "GaussianRandomProjection": "n_components eps random_state",
        "SparseRandomProjection": "n_components density eps dense_output random_state",
    },
    "sklearn.preprocessing": {
        "Binarizer": "threshold",
        "MaxAbsScaler": "clip",
        "MinMaxScaler": "feature_range clip",
        "Normalizer": "norm",
        "PowerTransformer": "method standardize",
        "QuantileTransformer": "n_quantiles output_distribution ignore_implicit_zeros subsample random_state",
        "RobustScaler": "with_centering with_scaling quantile_range unit_variance",
        "StandardScaler": "with_mean with_std",
    },
    "sklearn.kernel_approximation": {
        "AdditiveChi2Sampler": "sample_steps sample_interval",
        "Nystroem": "kernel gamma coef0 degree n_components random_state",
        "PolynomialCountSketch": "gamma degree coef0 n_components random_state",
        "RBFSampler": "gamma n_components random_state",
        "SkewedChi2Sampler": "skewedness n_components random_state",
    },
    "sklearn.cluster": {
        "FeatureAgglomeration": "n_clusters metric compute_full_tree linkage distance_threshold",
        "KMeans": f"{_CLUSTERS} algorithm",
        "MiniBatchKMeans": f"{_CLUSTERS} batch_size max_no_improvement init_size reassignment_ratio",
    },
    "sklearn.feature_selection": {"VarianceThreshold": "threshold"},
}

# Dotted name of a class → the arguments that it may be given.
ALLOWED = {
    f"{module}.{name}": tuple(arguments.split())
    for module, classes in _ALLOWED.items()
    for name, arguments in classes.items()
}
