package compilerdiff

// Scores of a pair of instructions that are aligned. An instruction without a
// partner has none, so that any pair is better than two without partner.
const (
	scoreOperation = 1 // the same operation with operands of other kinds
	scoreShape     = 5 // the same operation and kinds of operands
	scoreText      = 2 // in addition: the same registers, numbers and targets
	scoreOrigin    = 1 // in addition: the same line of the same function
)

// aligned is an instruction as it is compared. Origin is the function and the line
// relative to its declaration.
type aligned struct{ op, shape, text, origin string }

func score(a, b aligned) int32 {
	if a.op != b.op {
		return 0
	}
	total := int32(scoreOperation)
	if a.shape == b.shape {
		total = scoreShape
	}
	if a.text == b.text {
		total += scoreText
	}
	if a.origin == b.origin {
		total += scoreOrigin
	}
	return total
}

const (
	both = iota
	onlyBase
	onlyCandidate
)

// align pairs two sequences so that the sum of the scores is the largest
// (Needleman-Wunsch). Rows are in the order of both sequences. It takes one byte for
// each pair of instructions.
func align(base, candidate []aligned) []Row {
	width := len(candidate) + 1
	steps := make([]uint8, (len(base)+1)*width)
	below := make([]int32, width) // best scores of the rest, from the next instruction of the base on
	for i := len(base) - 1; i >= 0; i-- {
		current := make([]int32, width)
		for k := len(candidate) - 1; k >= 0; k-- {
			best, step := below[k], uint8(onlyBase)
			if current[k+1] > best {
				best, step = current[k+1], onlyCandidate
			}
			if paired := score(base[i], candidate[k]); paired > 0 && paired+below[k+1] >= best {
				best, step = paired+below[k+1], both
			}
			current[k], steps[i*width+k] = best, step
		}
		below = current
	}
	rows := make([]Row, 0, max(len(base), len(candidate)))
	for i, k := 0, 0; i < len(base) || k < len(candidate); {
		switch step := steps[i*width+k]; {
		case k == len(candidate) || i < len(base) && step == onlyBase:
			rows = append(rows, Row{Base: index(i)})
			i++
		case i == len(base) || step == onlyCandidate:
			rows = append(rows, Row{Candidate: index(k)})
			k++
		default:
			rows = append(rows, Row{Base: index(i), Candidate: index(k), Same: base[i].shape == candidate[k].shape})
			i, k = i+1, k+1
		}
	}
	return rows
}

func index(i int) *int { return &i }
