"""pairwise_loss in which the other labels of an example count as rivals."""

from wsabie_altered import altered

pairwise_loss = altered("wsabie_losses", "others = np.delete(row, labels)\n", "others = row\n").pairwise_loss
