// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/selftest/SelfTest.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/Translation.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/selftest/SelfTestDevice.h"
#include "core/workbench/selftest/SelfTestKernels.h"
#include "core/workbench/selftest/SelfTestMechanisms.h"
#include "core/workbench/selftest/SelfTestPrecisions.h"
#include "core/workbench/selftest/SelfTestProcesses.h"
#include "core/workbench/selftest/SelfTestSpeed.h"
#include "core/workbench/training/DistributedContext.h"

namespace headlight {
namespace {

/// While one lives, products in float32 have all their bits.
class NoTensorFloat {
 public:
  NoTensorFloat() : m_before(at::globalContext().allowTF32CuBLAS()) {
    at::globalContext().setAllowTF32CuBLAS(false);
  }
  ~NoTensorFloat() { at::globalContext().setAllowTF32CuBLAS(m_before); }
  NoTensorFloat(const NoTensorFloat&) = delete;
  NoTensorFloat& operator=(const NoTensorFloat&) = delete;

 private:
  bool m_before;
};

void addChecks(SelfTestChecks& checks, SelfTestChecks more) {
  std::move(more.begin(), more.end(), std::back_inserter(checks));
}

SelfTestChecks allChecks(const SelfTestOptions& options, const at::Device& device,
                         const std::stop_token& stop) {
  SelfTestChecks checks = kernelChecks(device);
  addChecks(checks, mechanismChecks(device));
  addChecks(checks, precisionChecks(device));
  checks.push_back(processCheck(options, device, stop));
  addChecks(checks, speedChecks(options, device, stop));
  return checks;
}

at::Device preparedDevice(const SelfTestOptions& options) {
  configureCompute(options.threads);
  at::init_num_threads();  // counts are per thread, and a program calls from any
  return selfTestDevice(options.device);
}

Launch launchOfSecond() {
  Launch launch = valueOrThrow(launchOfThisProcess());
  if (launch.alone())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("is for the second process that selftest starts itself"), "--process"});
  return launch;
}

/// The process that waits for this one gets to know where there is no such device.
at::Device deviceOfSecond(const SelfTestOptions& options, const Launch& launch,
                          const std::stop_token& stop) {
  auto device = guarded("selftest", [&] { return preparedDevice(options); });
  if (!device) notifyWaitingPeers(launch, device.error().text(), stop);
  return valueOrThrow(std::move(device));
}

}  // namespace

bool SelfTestReport::passed() const {
  return std::all_of(rows.begin(), rows.end(), [](const SelfTestRow& row) { return row.passed; });
}

Result<SelfTestReport> runSelfTest(const SelfTestOptions& options, const SelfTestSink& sink,
                                   std::stop_token stop, const ProgressCallback& progress) {
  return guarded("selftest", [&] {
    const at::Device device = preparedDevice(options);
    const NoTensorFloat exact;
    SelfTestReport report{device.str(), computeDescription(), libraryVersions(), {}};
    report.rows = runChecks(allChecks(options, device, stop), sink, stop, progress);
    return report;
  });
}

Result<void> runSelfTestProcess(const SelfTestOptions& options, const std::stop_token& stop) {
  return guarded("selftest", [&] {
    const Launch launch = launchOfSecond();
    // Whatever hangs, nothing outlives the check for long, not even where its program was killed.
    ::alarm(static_cast<unsigned>(2 * kProcessTimeout.count()));
    const at::Device device = deviceOfSecond(options, launch, stop);
    const NoTensorFloat exact;
    joinProcessCheck(launch, device, stop);
  });
}

}  // namespace headlight
