// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The commands of headlight-cli that write files, each with what it needs and how one goes on after
// it failed or was killed.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/HubServer.h"
#include "tests/faults/Faults.h"
#include "tests/faults/Outputs.h"

namespace headlight::testing {

struct Saving {
  Arguments arguments;  ///< it writes into "out" of the folder in which it runs
  /// Going on once out/config.json is there; none: by the same command.
  std::optional<Arguments> resume = std::nullopt;
  fs::path before = {};    ///< what "out" holds before; empty: there is no "out"
  bool intoEmpty = false;  ///< it refuses an "out" that holds anything: a person deletes it
  Variables variables = {};
};

class SavingTest : public CliTest {
 protected:
  /// Two epochs of three steps, checkpoints every two, with an edit on the way.
  Saving training() const;
  /// The same, begun and killed in the middle of it.
  Saving resuming();
  Saving sweeping() const;
  /// Six steps on text.
  Saving sequenceTraining() const;
  Saving converting() const;
  Saving makingADataset() const;
  /// Arrays and images of attention.
  Saving attending() const;
  Saving predicting() const;
  Saving preprocessing() const;
  /// A model from a hub of this machine, into "out" as the hub's cache.
  Saving fetching();
  /// The same, into a copy with links followed whose weights were cut; beside it another commit
  /// that is whole, and is what refs/main names.
  Saving fetchingOverACopy();

  /// Runs it undisturbed, twice: `calls` and `outputs` of the two are the same.
  struct Clean {
    std::vector<Call> calls;
    Outputs outputs;
    double seconds = 0;
  };
  Clean runClean(const Saving& saving);

  /// A fresh folder with what is there before.
  fs::path begin(const Saving& saving) const;
  /// The command that goes on with what is in `folder`.
  Arguments next(const Saving& saving, const fs::path& folder) const;
  /// Nothing under its final name is damaged.
  void expectWhole(const fs::path& folder) const;

 private:
  std::unique_ptr<HubServer> m_hub;
};

}  // namespace headlight::testing
