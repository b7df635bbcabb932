#include "draws.h"

bool draws_happens(struct draws *draws, uint32_t ppm)
{
	uint64_t word;

	if (!ppm)
		return false;
	word = draws->state += 0x9e3779b97f4a7c15ull;
	word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ull;
	word = (word ^ (word >> 27)) * 0x94d049bb133111ebull;
	word ^= word >> 31;
	return (uint64_t)(((unsigned __int128)word * 1000000) >> 64) < ppm;
}
