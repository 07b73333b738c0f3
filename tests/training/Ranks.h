// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Processes of one run, for tests: the program test_ranks, several times, as a launcher would start
// it.

#include <string>
#include <vector>

namespace headlight {

/// Runs `test_ranks arguments…` as ranks 0 to count − 1 of one job on this machine, and waits for
/// all. Fails the test where one does not exit with 0.
void startRanks(int count, const std::vector<std::string>& arguments);

}  // namespace headlight
