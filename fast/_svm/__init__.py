"""The kernels of the top-k SVM (`topk_svm`, `topk_svm_parts`), its losses (`losses`), and `topk_baselines`.

hinge        the loss of one example            dual_lists   duals as lists that grow and shrink
dual_step    the biased projection of a step    shortlist    which duals may still move
weights      scores and updates, by layout      conjugate    passes accelerated by conjugate directions
steps        steps over all or listed classes   ascent       epochs, each with a certificate
models       features or inner products         top_rank     TopPush and SVMperf, which share a threshold
parts        examples in parts, each with its own duals
"""
