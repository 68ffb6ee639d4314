"""The kernels of the ranking family: `fast.ranking`, `fast.ranking_svm` and `fast.ranking_learners`.

`cost` finds the best rank of one negative, `quicksort` ranks a segment of negatives by Algorithm 1 of paper 002, and
`buckets` ranks most negatives without sorting them. `inference` combines the three for the losses AP, NDCG and AUC,
`own_loss` is the inference for a loss that the user defines (a QSLoss), and `groups` ranks many groups in parallel.
"""
