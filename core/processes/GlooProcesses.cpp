// Of Processes.h: on c10d and Gloo.
#include <ATen/Functions.h>
#include <gloo/transport/device.h>

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <optional>

#include "core/processes/Meeting.h"
#include "core/processes/Processes.h"

namespace headlight {
namespace {

using Gloo = c10d::ProcessGroupGloo;
using Work = c10::intrusive_ptr<c10d::Work>;

/// On one machine nothing depends on what its name resolves to.
std::shared_ptr<::gloo::transport::Device> deviceFor(const Launch& launch) {
  return launch.onOneMachine() ? Gloo::createDeviceForHostname("127.0.0.1")
                               : Gloo::createDefaultDevice();
}

class GlooSum : public PendingSum {
 public:
  GlooSum(Meeting& meeting, bool& broken, Work work)
      : m_meeting(meeting), m_broken(broken), m_work(std::move(work)) {}
  void wait() override;

 private:
  Meeting& m_meeting;
  bool& m_broken;
  Work m_work;
};

/// Runs `body`; what fails in it is another process's fault.
template <typename Body>
auto together(Meeting& meeting, bool& broken, Body&& body) {
  try {
    return body();
  } catch (const std::exception& exception) {
    broken = true;
    throw Failure({ErrorCode::Io, meeting.blame(messageOf(exception)), ""});
  }
}

void GlooSum::wait() {
  together(m_meeting, m_broken, [&] { m_work->wait(); });
}

}  // namespace

struct Processes::State {
  Launch launch;
  Meeting meeting;
  c10::intrusive_ptr<Gloo> group;
  std::int64_t texts = 0;  ///< that were exchanged
  bool broken = false;     ///< by another process
  bool failed = false;     ///< this one said so

  State(const Launch& given, std::chrono::seconds timeout)
      : launch(given), meeting(given, timeout) {
    together(meeting, broken, [&] {
      const auto options = Gloo::Options::create(timeout);
      options->devices.push_back(deviceFor(launch));
      options->threads = 2;
      group = c10::make_intrusive<Gloo>(meeting.texts(), launch.rank, launch.count, options);
    });
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
    return begin([&] { return group->allreduce(tensors, options); });
  }
  std::string nextKey() { return "text/" + std::to_string(texts++); }
};

bool processesAreBuiltIn() {
  return true;
}

Processes::Processes(const Launch& launch, std::chrono::seconds timeout)
    : m_state(std::make_unique<State>(launch, timeout)) {}

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
  std::vector<at::Tensor> tensors{tensor};
  m_state->begin([&] { return m_state->group->broadcast(tensors); })->wait();
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

void Processes::fail(const std::string& why) {
  State& state = *m_state;
  if (state.broken || std::exchange(state.failed, true)) return;
  state.meeting.leaveWord(why);
  state.group.reset();
}

bool Processes::speaks() const {
  return m_state->meeting.isFirstLeft();
}

}  // namespace headlight
