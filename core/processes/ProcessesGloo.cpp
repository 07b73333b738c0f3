// SPDX-License-Identifier: GPL-3.0-or-later

// Processes.h: on c10d and Gloo, and what lies on GPUs on NCCL.
#include <ATen/Functions.h>
#include <gloo/transport/device.h>

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <thread>

#include "core/base/Translation.h"
#include "core/processes/BoundedCall.h"
#include "core/processes/DeviceGroup.h"
#include "core/processes/Processes.h"
#include "core/processes/Rendezvous.h"
#include "core/processes/Routes.h"

namespace headlight {
namespace {

using Gloo = c10d::ProcessGroupGloo;
using Work = c10::intrusive_ptr<c10d::Work>;

constexpr std::chrono::microseconds kShortestLook{50}, kLongestLook{50000};

/// Everybody's, by rank.
std::vector<Route> routesOf(const Launch& launch, Rendezvous& meeting, const Route& own) {
  meeting.write("route/" + std::to_string(launch.rank), routeText(own));
  std::vector<Route> all;
  for (int rank = 0; rank < launch.count; ++rank)
    all.push_back(routeFromText(meeting.read("route/" + std::to_string(rank))));
  return all;
}

/// GLOO_SOCKET_IFNAME names an interface, as for PyTorch.
std::shared_ptr<::gloo::transport::Device> deviceFor(const Launch& launch, Rendezvous& meeting) {
  if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME"); interface && *interface)
    return Gloo::createDeviceForInterface(interface);
  if (launch.onOneMachine()) return Gloo::createDeviceForHostname("127.0.0.1");
  const Route own = routeTo(launch.host, launch.port).value_or(Route{});
  const std::string address = reachableAddress(own, routesOf(launch, meeting, own));
  return address.empty() ? Gloo::createDefaultDevice() : Gloo::createDeviceForHostname(address);
}

/// What `connect` connects, made in a thread of its own: where another process gives up, or a way
/// between two machines is closed, Gloo and NCCL wait on. Throws what connecting threw; Failure
/// after the time-out, and where a process ended.
template <typename Connected>
Connected connectedBy(Rendezvous& meeting, std::chrono::seconds timeout,
                      std::function<Connected()> connect) {
  const auto until = Rendezvous::Clock::now() + timeout;
  return BoundedCall<Connected>(std::move(connect)).get([&] {
    if (Rendezvous::Clock::now() > until)
      throw Failure({ErrorCode::Io,
                     tr("the processes reached the rendezvous, but not each other; set "
                        "GLOO_SOCKET_IFNAME to the network interface to use"),
                     ""});
    meeting.requireGoingOn(until);
  });
}

class GlooSum : public PendingSum {
 public:
  GlooSum(Rendezvous& meeting, bool& broken, Work work)
      : m_meeting(meeting), m_broken(broken), m_work(std::move(work)) {}
  void wait() override;

 private:
  Rendezvous& m_meeting;
  bool& m_broken;
  Work m_work;
};

/// Runs `body`; what fails in it is another process's fault.
template <typename Body>
auto together(Rendezvous& meeting, bool& broken, Body&& body) {
  try {
    return body();
  } catch (const std::exception& exception) {
    broken = true;
    throw Failure(meeting.verdict(failureMessage(exception)));
  }
}

/// Until it is done; its own time-out ends it. While the run starts, no longer than all are there.
void waitForWork(Rendezvous& meeting, c10d::Work& work) {
  for (auto pause = kShortestLook; meeting.isStarting() && !work.isCompleted();
       pause = std::min(2 * pause, kLongestLook)) {
    std::this_thread::sleep_for(pause);
    if (pause == kLongestLook) meeting.requireGoingOn(Rendezvous::Clock::time_point::max());
  }
  work.wait();
}

void GlooSum::wait() {
  together(m_meeting, m_broken, [&] { waitForWork(m_meeting, *m_work); });
}

}  // namespace

struct Processes::State {
  Launch launch;
  Rendezvous meeting;
  c10::intrusive_ptr<Gloo> group;
  std::shared_ptr<DeviceGroup> gpus;  ///< made where the first tensor of a GPU comes
  bool gpusConnected = false;
  std::chrono::seconds timeout;
  std::int64_t texts = 0;  ///< that were exchanged
  bool broken = false;     ///< by another process
  bool failed = false;     ///< this one said so

  State(const Launch& given, std::chrono::seconds timeout, std::stop_token stop)
      : launch(given), meeting(given, timeout, std::move(stop)), timeout(timeout) {
    together(meeting, broken, [&] { connect(); });
  }
  ~State() { breakOff(); }

  void connect() {
    const auto options = Gloo::Options::create(timeout);
    options->devices.push_back(deviceFor(launch, meeting));
    options->threads = 2;
    group = connectedBy<c10::intrusive_ptr<Gloo>>(
        meeting, timeout,
        [texts = meeting.texts(), rank = launch.rank, count = launch.count, options] {
          return c10::make_intrusive<Gloo>(texts, rank, count, options);
        });
  }

  /// A start that is broken off may leave sums behind that Gloo waits for until their time-out; so
  /// they are left to it.
  void breakOff() {
    if (broken && meeting.isStarting())
      std::thread([left = std::move(group), others = std::move(gpus)]() mutable {
        left.reset();
        others.reset();
      }).detach();
    group.reset();
    gpus.reset();
  }

  template <typename Begin>
  std::unique_ptr<GlooSum> begin(Begin&& call) {
    meeting.noteBegun();
    return std::make_unique<GlooSum>(meeting, broken, together(meeting, broken, call));
  }
  std::unique_ptr<GlooSum> reduce(at::Tensor& tensor, c10d::ReduceOp::RedOpType how) {
    c10d::AllreduceOptions options;
    options.reduceOp = how;
    std::vector<at::Tensor> tensors{tensor};
    return begin([&] {
      if (!goesByGpu(tensor)) return group->allreduce(tensors, options);
      return onGpus(
          [gpus = gpus, tensors, options]() mutable { return gpus->reduce(tensors, options); });
    });
  }
  std::unique_ptr<GlooSum> broadcast(at::Tensor& tensor) {
    std::vector<at::Tensor> tensors{tensor};
    return begin([&] {
      if (!goesByGpu(tensor)) return group->broadcast(tensors);
      return onGpus([gpus = gpus, tensors]() mutable { return gpus->broadcast(tensors); });
    });
  }
  /// NCCL connects in its first call, and waits there for whoever never comes.
  Work onGpus(std::function<Work()> call) {
    if (gpusConnected) return call();
    Work work = connectedBy<Work>(meeting, timeout, std::move(call));
    gpusConnected = true;
    return work;
  }
  bool goesByGpu(const at::Tensor& tensor) {
    if (!tensor.is_cuda() || deviceSums().empty()) return false;
    if (!gpus) gpus = makeDeviceGroup(meeting.texts(), launch, timeout);
    return true;
  }
  std::string nextKey() { return "text/" + std::to_string(texts++); }
};

std::string sumsBy(const at::Device& device) {
  const std::string gpus = device.is_cuda() ? deviceSums() : "";
  return gpus.empty() ? "Gloo" : gpus;
}

bool othersSpeak() {
  return Rendezvous::othersSpeak();
}

bool leaveWord(const Launch& launch, const std::string& why, std::chrono::seconds timeout,
               std::stop_token stop) {
  return guarded("", [&] { Rendezvous(launch, timeout, std::move(stop)).leaveWord(why); }).ok();
}

Processes::Processes(const Launch& launch, std::chrono::seconds timeout, std::stop_token stop)
    : m_state(std::make_unique<State>(launch, timeout, std::move(stop))) {}

Processes::~Processes() = default;

int Processes::rank() const {
  return m_state->launch.rank;
}
int Processes::count() const {
  return m_state->launch.count;
}

void Processes::sum(at::Tensor& tensor) {
  beginSum(tensor)->wait();
}

std::unique_ptr<PendingSum> Processes::beginSum(at::Tensor& tensor) {
  return m_state->reduce(tensor, c10d::ReduceOp::SUM);
}

void Processes::broadcast(at::Tensor& tensor) {
  m_state->broadcast(tensor)->wait();
}

bool Processes::any(bool here) {
  at::Tensor flag = at::full({1}, here ? 1 : 0, at::kInt);
  m_state->reduce(flag, c10d::ReduceOp::MAX)->wait();
  return flag.item<int>() != 0;
}

std::string Processes::broadcast(const std::string& text) {
  State& state = *m_state;
  state.meeting.noteBegun();
  const std::string key = state.nextKey();
  return together(state.meeting, state.broken, [&] {
    if (isFirst()) state.meeting.write(key, text);
    return state.meeting.read(key);
  });
}

std::vector<std::string> Processes::gather(const std::string& text) {
  State& state = *m_state;
  state.meeting.noteBegun();
  const std::string key = state.nextKey();
  return together(state.meeting, state.broken, [&] {
    state.meeting.write(key + "/" + std::to_string(rank()), text);
    std::vector<std::string> all;
    for (int from = 0; isFirst() && from < count(); ++from)
      all.push_back(state.meeting.read(key + "/" + std::to_string(from)));
    return all;
  });
}

void Processes::endStart() {
  m_state->meeting.endStart();
}

void Processes::fail(const std::string& why) {
  State& state = *m_state;
  if (state.broken || std::exchange(state.failed, true)) return;
  state.meeting.leaveWord(why);
  state.breakOff();
}

bool Processes::speaks() const {
  return m_state->meeting.isFirstLeft();
}

}  // namespace headlight
