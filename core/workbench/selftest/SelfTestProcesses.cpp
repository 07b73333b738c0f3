// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/selftest/SelfTestProcesses.h"

#include <ATen/ATen.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <torch/cuda.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/base/Translation.h"
#include "core/processes/Processes.h"
#include "core/processes/Sockets.h"
#include "core/workbench/selftest/FloatGaps.h"
#include "core/workbench/selftest/MicroModel.h"
#include "core/workbench/selftest/SecondProcess.h"
#include "core/workbench/training/DistributedContext.h"

namespace headlight {
namespace {

constexpr const char* kProcessesName = "processes";

/// Sums in another order round float32 to 1e-7 of the weights; a gradient of which a process's
/// share is missing, or counted twice, moves them by 1e-3.
constexpr double kProcessesBound = 1e-5;

/// Empty: two processes can add up tensors of the device.
std::string whyOneProcess(const SelfTestOptions& options, const at::Device& device) {
  if (device.is_cuda() && torch::cuda::device_count() < 2) return tr("one device");
  const std::string sums = sumsBy(device);
  if (sums.empty()) return tr("this build has no Gloo; install libgloo-dev and build again");
  if (device.is_cuda() && !sums.starts_with("NCCL"))
    return tr("this build has no NCCL; see On a cluster in the help");
  return options.process.empty() ? tr("this program starts no second process") : "";
}

std::string processesWhat(const at::Device& device) {
  const std::string sums = sumsBy(device);
  return tr("weights of two processes after three steps") +
         (sums.empty() ? "" : tr(", over ") + sums);
}

/// Where the second process computes: on a device of its own.
at::Device deviceBeside(const at::Device& device) {
  if (!device.is_cuda()) return device;
  const int count = static_cast<int>(torch::cuda::device_count());
  const int next = (std::max(0, static_cast<int>(device.index())) + 1) % count;
  return {at::kCUDA, static_cast<c10::DeviceIndex>(next)};
}

/// A port of this machine that nobody uses now.
int unusedPort() {
  const Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* place = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), place, size) != 0 || ::getsockname(socket.get(), place, &size) != 0)
    throw Failure({ErrorCode::Io, tr("no port of this machine is free"), "127.0.0.1"});
  return ntohs(address.sin_port);
}

Launch launchOfTwo(int rank, int port) {
  Launch launch;
  launch.rank = launch.localRank = rank;
  launch.count = launch.localCount = 2;
  launch.host = "127.0.0.1";
  launch.port = port;
  launch.launcher = "selftest";
  return launch;
}

at::Tensor processWeights(const at::Device& device, const std::shared_ptr<Processes>& processes) {
  return microWeights(microConfig("softmax"), device, processes).to(at::kDouble);
}

/// Those of this process, then those of the other: [2, weights].
at::Tensor weightsOfBoth(const Launch& launch, const at::Device& device,
                         std::chrono::seconds timeout, const std::stop_token& stop) {
  const auto processes = std::make_shared<Processes>(launch, timeout, stop);
  return runAndReportFailure(processes, [&] {
    const at::Tensor own = processWeights(device, processes);
    at::Tensor sum = own.clone();
    processes->sum(sum);
    return at::stack({own, sum - own});
  });
}

/// Why the steps failed. That it was not this process that was to stop is known.
Error processError(const Error& error, const SecondProcess& second) {
  const std::string ended = second.failure();
  if (error.code != ErrorCode::Canceled) return error;
  return {ErrorCode::Io, ended.empty() ? error.message : ended, ""};
}

/// [2, weights] after both processes came to their ends.
at::Tensor trainedByTwo(const SelfTestOptions& options, const at::Device& device,
                        const std::stop_token& stop, std::chrono::seconds timeout) {
  const int port = unusedPort();
  std::vector<std::string> command = options.process;
  command.insert(command.end(), {"--device", deviceBeside(device).str()});
  SecondProcess second(command, launchOfTwo(1, port), stop);
  const auto weights = guarded(
      "", [&] { return weightsOfBoth(launchOfTwo(0, port), device, timeout, second.stop()); });
  if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", "selftest"});
  if (!weights) throw Failure(processError(weights.error(), second));
  second.awaitEnd(timeout);
  return *weights;
}

SelfTestRow processRow(const at::Device& device, const at::Tensor& both) {
  const at::Tensor alone = processWeights(device, nullptr);
  return boundedRow(kProcessesName, processesWhat(device), "relative",
                    relativeGap(both, at::stack({alone, alone})), kProcessesBound);
}

}  // namespace

SelfTestCheck processCheck(const SelfTestOptions& options, const at::Device& device,
                           const std::stop_token& stop, std::chrono::seconds timeout) {
  const std::string why = whyOneProcess(options, device);
  if (!why.empty()) return skippedCheck(kProcessesName, processesWhat(device), why);
  return {kProcessesName, [=] {
            const at::Tensor both = trainedByTwo(options, device, stop, timeout);
            return std::vector<SelfTestRow>{processRow(device, both)};
          }};
}

void joinProcessCheck(const Launch& launch, const at::Device& device, const std::stop_token& stop) {
  weightsOfBoth(launch, device, kProcessTimeout, stop);
}

}  // namespace headlight
