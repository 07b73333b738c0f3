// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether this machine's device computes what the CPU computes, and how fast: kernels, every
// mechanism, precisions, two processes, speed and memory, each number beside its bound. No torch
// type here.

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"

namespace headlight {

struct SelfTestRow {
  std::string name;      ///< "attention.softmax.logits": each once in a report
  std::string what;      ///< in words: what was compared with what, or measured
  std::string unit;      ///< of both numbers: "relative", "ratio", "images/s", "MB"
  double measured = 0;   ///< NaN where it is no number
  double bound = 0;      ///< that `measured` must not pass; 0: none, it is only reported
  bool passed = true;    ///< also where it was skipped
  bool skipped = false;  ///< nothing was measured; `note` says why
  std::string note = {};
  double seconds = 0;  ///< of the check that gave it, together with its other rows
};

struct SelfTestOptions {
  std::string device = "auto";  ///< as of an Experiment
  int threads = 0;              ///< of the CPU; 0: as many as cores
  bool quick = false;           ///< speed of a very small model instead of DeiT-T's
  /// A program by its path and its arguments, which "--device NAME" follows: it calls
  /// runSelfTestProcess(). Empty: the check of two processes is skipped.
  std::vector<std::string> process = {};
};

struct SelfTestReport {
  std::string device;                  ///< "cpu", "cuda:0"
  std::string machine;                 ///< computeDescription()
  std::vector<std::string> libraries;  ///< libraryVersions()
  std::vector<SelfTestRow> rows;

  bool passed() const;
};

using SelfTestSink = std::function<void(const SelfTestRow&)>;

/// Every check on the device; float32 without TF32. On the CPU the same checks compare its kernels
/// with their plain forms. Rows go to `sink` as they are measured. A check that fails or throws is
/// a row, not an error. Errors: Canceled, InvalidConfig (no such device; what LibTorch sees).
Result<SelfTestReport> runSelfTest(const SelfTestOptions& options, const SelfTestSink& sink,
                                   std::stop_token stop, const ProgressCallback& progress = {});

/// In the process that runSelfTest() starts as options.process: its part of the check, on
/// `options.device`; after two minutes the program ends itself. Errors: Canceled, InvalidArgument
/// (nobody started it so), InvalidConfig (no such device), Io (the other process failed, died or
/// did not come).
Result<void> runSelfTestProcess(const SelfTestOptions& options, const std::stop_token& stop);

}  // namespace headlight
