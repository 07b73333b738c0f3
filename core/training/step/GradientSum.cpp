// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/GradientSum.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <chrono>
#include <functional>

namespace headlight {
namespace {

using Clock = std::chrono::steady_clock;
using torch::autograd::variable_list;

/// Small enough that the first leave early, large enough that few are sent.
constexpr std::int64_t kBucketBytes = 4 << 20;

double secondsFrom(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

class ReadyHook : public torch::autograd::FunctionPostHook {
 public:
  explicit ReadyHook(std::function<void()> ready) : m_ready(std::move(ready)) {}
  variable_list operator()(const variable_list& outputs, const variable_list&) override {
    m_ready();
    return outputs;
  }

 private:
  std::function<void()> m_ready;
};

}  // namespace

/// Parameters of one type whose gradients travel together.
struct GradientSum::Bucket {
  std::vector<at::Tensor> parameters;
  std::size_t ready = 0;
  at::Tensor flat;
  std::unique_ptr<PendingSum> sum;

  std::int64_t bytes() const {
    std::int64_t all = 0;
    for (const at::Tensor& parameter : parameters)
      all += static_cast<std::int64_t>(parameter.nbytes());
    return all;
  }
  template <typename Use>
  void eachPlace(Use use) {
    std::int64_t begin = 0;
    for (at::Tensor& parameter : parameters) {
      use(parameter.mutable_grad(), flat.narrow(0, begin, parameter.numel()));
      begin += parameter.numel();
    }
  }
  void pack() {
    std::int64_t numbers = 0;
    for (const at::Tensor& parameter : parameters)
      numbers += parameter.numel();
    if (!flat.defined()) flat = at::empty({numbers}, parameters.front().options());
    eachPlace([](const at::Tensor& gradient, at::Tensor place) {
      if (gradient.defined())
        place.copy_(gradient.flatten());
      else
        place.zero_();
    });
  }
  void unpack() {
    eachPlace([](const at::Tensor& gradient, const at::Tensor& place) {
      if (gradient.defined()) gradient.copy_(place.view_as(gradient));
    });
  }
};

struct GradientSum::State {
  struct Hook {
    // a shared or an intrusive pointer, by LibTorch's version
    decltype(torch::autograd::impl::grad_accumulator(at::Tensor())) node;
    std::uintptr_t key = 0;
  };

  Processes& processes;
  std::vector<Bucket> buckets;  ///< in about the order in which gradients come
  std::vector<Hook> hooks;
  std::size_t begun = 0;
  bool expecting = false;
  Clock::time_point firstBegun;
  double waited = 0, took = 0;

  explicit State(Processes& given) : processes(given) {}

  void add(const at::Tensor& parameter) {
    if (buckets.empty() || buckets.back().bytes() >= kBucketBytes ||
        buckets.back().parameters.front().scalar_type() != parameter.scalar_type())
      buckets.emplace_back();
    buckets.back().parameters.push_back(parameter);
  }

  void hook() {
    for (std::size_t b = 0; b < buckets.size(); ++b)
      for (const at::Tensor& parameter : buckets[b].parameters) {
        auto node = torch::autograd::impl::grad_accumulator(parameter);
        const auto key = node->add_post_hook(std::make_unique<ReadyHook>([this, b] { note(b); }));
        hooks.push_back({std::move(node), key});
      }
  }

  void note(std::size_t bucket) {
    if (!expecting) return;
    ++buckets[bucket].ready;
    beginReady();
  }
  void beginReady() {
    while (begun < buckets.size() && buckets[begun].ready == buckets[begun].parameters.size())
      beginNext();
  }
  void beginNext() {
    const at::NoGradGuard noGrad;
    if (begun == 0) firstBegun = Clock::now();
    Bucket& bucket = buckets[begun++];
    bucket.pack();
    bucket.sum = processes.beginSum(bucket.flat);
  }

  void finish() {
    const at::NoGradGuard noGrad;
    expecting = false;
    while (begun < buckets.size())
      beginNext();
    const auto waiting = Clock::now();
    for (Bucket& bucket : buckets) {
      bucket.sum->wait();
      bucket.sum.reset();
      bucket.unpack();
      bucket.ready = 0;
    }
    begun = 0;
    waited = secondsFrom(waiting, Clock::now());
    took = secondsFrom(firstBegun, Clock::now());
  }
};

GradientSum::GradientSum(const NamedTensors& parameters, Processes& processes)
    : m_state(std::make_unique<State>(processes)) {
  for (auto item = parameters.rbegin(); item != parameters.rend(); ++item)
    m_state->add(item->second);
  m_state->hook();
}

GradientSum::~GradientSum() {
  for (const State::Hook& hook : m_state->hooks)
    hook.node->del_post_hook(hook.key);
}

void GradientSum::expectLast() {
  m_state->expecting = true;
}

void GradientSum::finish() {
  m_state->finish();
}

double GradientSum::waitedSeconds() const {
  return m_state->waited;
}
double GradientSum::tookSeconds() const {
  return m_state->took;
}

}  // namespace headlight
