"""The kernels of the ranking family: `fast.ranking`, `fast.ranking_svm` and `fast.ranking_learners`.

`cost` finds the best rank of one negative, `quicksort` ranks a segment of negatives by Algorithm 1 of paper 002,
`buckets` ranks most negatives without sorting them, `ordering` sorts them, and `presorted` ranks what is sorted.
`inference` combines them for the losses AP, NDCG and AUC, and `choice` picks the kernel of a call. `own_loss` is the
inference for a loss that the user defines (a QSLoss), and `groups` ranks many groups.
"""
