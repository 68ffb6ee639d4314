"""pairwise_loss that counts the other labels of an example as rivals."""

from tests.mutants._altered import altered

FUNCTION = "pairwise_loss"
REASON = "differs from the ground truth"
PHRASE = "expected"

pairwise_loss = altered("wsabie_losses", "others = np.delete(row, labels)\n", "others = row\n").pairwise_loss
