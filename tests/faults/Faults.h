// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headlight-cli on a file system that fails at a chosen call (Shim.cpp), in one folder alone.

#include <map>
#include <string>
#include <vector>

#include "tests/cli/Workspace.h"

namespace headlight::testing {

/// What goes wrong. By default nothing: calls are only counted.
struct Fault {
  long at = 0;           ///< the number of the call, from 1
  int error = 0;         ///< errno
  bool forever = false;  ///< so do all calls after it
  bool kill = false;     ///< in place of failing, the program is killed
};
std::string describe(const Fault& fault);

/// A call that changes something in the folder: open (for writing), write, close, fsync, truncate,
/// rename, link, symlink, mkdir, unlink, flock.
struct Call {
  std::string name;
  fs::path path;  ///< of a rename the new one
};

struct WatchedRun {
  Outcome outcome;
  std::vector<Call> calls;
};

/// Of the program's environment.
using Variables = std::map<std::string, std::string>;
void setVariables(const Variables& variables);

/// Runs headlight-cli in `folder`, and watches what it does in there.
WatchedRun runWithFault(const fs::path& folder, const Arguments& arguments, const Fault& fault,
                        const Variables& variables = {});

/// The name under which what a call writes can be found in the end: that of the file, without the
/// ending it has while it is written beside the old one, or arrives.
std::string finalName(const fs::path& path);
/// Whether a file is one that is written beside the old one.
bool isPartial(const fs::path& path);

/// The numbers of all calls, from 1, in an order of which any beginning is a fair sample: first one
/// of each kind (a name and a file, an open of last.safetensors), drawn by `seed`; then the others.
struct SampleOfCalls {
  std::vector<long> order;
  std::size_t kinds = 0;

  /// The `index`-th of `count`: spread over the kinds where they are more. Round and round where
  /// `count` is greater than the number of calls.
  long at(std::size_t index, std::size_t count) const;
};
SampleOfCalls sampleOfCalls(const std::vector<Call>& calls, std::uint64_t seed);

}  // namespace headlight::testing
