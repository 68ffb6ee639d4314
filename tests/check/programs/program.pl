# project_knapsack in Perl, in part: one point at a time, without weights, and with the same bounds for all coordinates.
#
#     python -m reference.check --command "perl program.pl"
#
# With the argument "wrong", the threshold is found to six digits only. With "silent", every point is skipped.

use strict;
use warnings;
use JSON::PP;
use List::Util qw(sum max min);

my $mode = $ARGV[0] // "";
my %words = ("inf" => 9**9**9, "-inf" => -9**9**9);
$| = 1;    # flush after each line

sub number {
    my ($value, $name, $otherwise) = @_;
    $value = $otherwise unless defined $value;
    $value = $words{$value} if exists $words{$value};
    die "$name must be a number\n" if !defined $value || ref $value || $value !~ /^[-+]?(\d|inf)/i;
    return $value;
}

# x = clip(a - t, lower, upper) with the right total. The sum falls with t: halve, then solve on the linear piece.
sub project {
    my ($point, $total, $lower, $upper) = @_;
    my $at = sub { my $t = shift; map { min(max($_ - $t, $lower), $upper) } @$point };
    my $reach = max(map { abs } @$point, $total, grep { abs($_) < 9**9**9 } $lower, $upper);
    my ($low, $high) = (min(@$point) - 2 * $reach, max(@$point) + 2 * $reach);
    for (1 .. ($mode eq "wrong" ? 20 : 80)) {
        my $t = ($low + $high) / 2;
        sum($at->($t)) > $total ? ($low = $t) : ($high = $t);
    }
    return $at->($low) if $mode eq "wrong";
    my @free = grep { $_ - $high > $lower && $_ - $low < $upper } @$point;
    my $fixed = sum(0, map { $_ - $high <= $lower ? $lower : $_ - $low >= $upper ? $upper : 0 } @$point);
    return $at->(@free ? (sum(@free) + $fixed - $total) / @free : $high);
}

print '{"functions": ["project_knapsack"], "lacks": {"project_knapsack":',
    ' ["weights", {"lower": ["array"]}, {"upper": ["array"]}]}}', "\n";
while (my $text = <STDIN>) {
    my $line = decode_json($text);
    my ($id, $given) = @$line{"id", "arguments"};
    my @shape = @{ $given->{a}{shape} // [] };
    my $reply = eval {
        my @a = map { number($_, "a") } @{ $given->{a}{data} // [] };
        die "a must be finite and not empty\n" if !@a || grep { abs($_) == 9**9**9 } @a;
        my ($total, $lower, $upper) = map { number(@$_) } [$given->{total}, "total"], [$given->{lower}, "lower", 0],
            [$given->{upper}, "upper", 1];
        die "lower must not exceed upper\n" if $lower > $upper || abs($total) == 9**9**9;
        die "total cannot be reached\n" if $total < @a * $lower || $total > @a * $upper;
        @shape > 1 || $mode eq "silent" ? '"skip": "more than one point"'
            : '"answer": [' . join(", ", map { sprintf "%.17g", $_ } project(\@a, $total, $lower, $upper)) . "]";
    } // '"error": ' . JSON::PP->new->allow_nonref->encode($@);
    print qq({"id": "$id", $reply}\n);
}
