package deflate

import (
	"math"
	"slices"
)

type parser struct {
	data       []byte
	from, to   int
	matches    matches
	costs      []float64 // of the cheapest tokens to each position
	bestTokens []token   // the last token to each position
}

func newParser(data []byte, from, to int) *parser {
	return &parser{
		data: data, from: from, to: to, matches: findMatches(data, from, to),
		costs: make([]float64, to-from+1), bestTokens: make([]token, to-from+1),
	}
}

func (p *parser) parse(models []model) []token {
	for i := range p.costs {
		p.costs[i] = math.Inf(1)
	}
	p.costs[0] = 0
	for i := range p.to - p.from {
		for p.from+i >= models[0].until {
			models = models[1:]
		}
		p.tryTokens(i, &models[0])
	}
	return p.tracePath()
}

func (p *parser) tryTokens(i int, m *model) {
	b := p.data[p.from+i]
	p.updateCost(i+1, p.costs[i]+m.literal[b], token{value: uint16(b)})
	length := shortest
	for _, match := range p.matches.at(i) {
		for ; length <= int(match.length); length++ {
			cost := p.costs[i] + m.match(length, match.distance)
			p.updateCost(i+length, cost, token{value: uint16(length), distance: match.distance})
		}
	}
}

func (p *parser) updateCost(i int, cost float64, by token) {
	if cost < p.costs[i] {
		p.costs[i], p.bestTokens[i] = cost, by
	}
}

func (p *parser) tracePath() (tokens []token) {
	for i := p.to - p.from; i > 0; i -= p.bestTokens[i].length() {
		tokens = append(tokens, p.bestTokens[i])
	}
	slices.Reverse(tokens)
	return tokens
}
