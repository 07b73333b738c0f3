// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/bench/PartClock.h"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace headlight {
namespace {

/// No kind of LibTorch's own work is in use by this name, and the threads of a backward pass get
/// it from the thread that began it.
c10::DebugInfoKind clockKind() {
  return c10::DebugInfoKind::TEST_INFO;  // no constant expression in every LibTorch
}

bool isNormOperation(std::string_view name) {
  return name == "aten::layer_norm" || name == "aten::batch_norm" || name == "aten::group_norm";
}

bool isConvolutionOperation(std::string_view name) {
  return name == "aten::conv2d" || name == "aten::conv1d";
}

/// The part of an operation within another part, where it is not that part's own.
std::optional<ModelPart> partOfOperation(std::string_view name, ModelPart within) {
  const bool ofModel = within != ModelPart::Loss && within != ModelPart::Optimizer;
  if (ofModel && within != ModelPart::Norms && isNormOperation(name)) return ModelPart::Norms;
  const bool ofBlock =
      within == ModelPart::Attention || within == ModelPart::Mlp || within == ModelPart::Other;
  if (ofBlock && isConvolutionOperation(name)) return ModelPart::Convolution;
  return std::nullopt;
}

/// Null for a tensor that has none; never that of a parameter.
const void* storageOf(const at::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl()
                                                  : nullptr;
}

/// That its beginning was counted, so that its end is.
struct CountedOperation : at::ObserverContext {};

PartClock* clockOfThread() {
  return static_cast<PartClock*>(c10::ThreadLocalDebugInfo::get(clockKind()));
}

std::unique_ptr<at::ObserverContext> operationBegins(const at::RecordFunction& operation) {
  PartClock* clock = clockOfThread();
  if (!clock) return nullptr;
  const bool counted = operation.scope() == at::RecordScope::BACKWARD_FUNCTION
                           ? clock->enterStep(operation.seqNr())
                           : clock->enterOperation(operation.name(), operation.inputs());
  return counted ? std::make_unique<CountedOperation>() : nullptr;
}

void operationEnds(const at::RecordFunction&, at::ObserverContext* counted) {
  if (counted) clockOfThread()->leave();
}

}  // namespace

void PartClock::start(bool training) {
  m_training = training;
  m_times = {};
  m_changes.clear();
  m_lastStep = ModelPart::Other;
  m_frames.assign(1, {ModelPart::Other, false, false});
  mark();
  m_last = m_now();
}

void PartClock::stop() {
  charge();
  m_frames.clear();
}

void PartClock::push(const PartFrame& frame) {
  charge();
  m_frames.push_back(frame);
  mark();
}

void PartClock::enter(ModelPart part, bool whole) {
  if (m_frames.empty()) return;
  const PartFrame around = m_frames.back();
  push(around.whole ? around : PartFrame{part, whole, false});
}

void PartClock::enterBackward() {
  if (!m_frames.empty()) push({ModelPart::Other, true, true});
}

void PartClock::leave() {
  if (m_frames.size() < 2) return;
  charge();
  m_frames.pop_back();
  mark();
}

void PartClock::setLinearLayers(const torch::nn::Module& module) {
  m_linear.clear();
  for (const auto& child : module.modules())
    if (const auto* linear = child->as<torch::nn::LinearImpl>())
      for (const at::Tensor& parameter : linear->parameters(/*recurse=*/false))
        m_linear.insert(storageOf(parameter));
}

bool PartClock::anyOfLinearLayers(c10::ArrayRef<const c10::IValue> inputs) const {
  return std::any_of(inputs.begin(), inputs.end(), [this](const c10::IValue& input) {
    return input.isTensor() && m_linear.contains(storageOf(input.toTensor()));
  });
}

bool PartClock::enterOperation(std::string_view name, c10::ArrayRef<const c10::IValue> inputs) {
  if (m_frames.empty() || m_frames.back().whole || m_frames.back().backward) return false;
  auto part = partOfOperation(name, m_frames.back().part);
  if (!part && m_frames.back().part == ModelPart::Attention && anyOfLinearLayers(inputs))
    part = ModelPart::Projections;
  if (part) push({*part, true, false});
  return part.has_value();
}

bool PartClock::enterStep(std::int64_t sequenceNumber) {
  if (m_frames.empty() || !m_frames.back().backward) return false;
  if (sequenceNumber >= 0) m_lastStep = partOf(sequenceNumber);
  push({m_lastStep, true, true});
  return true;
}

void PartClock::charge() {
  if (m_frames.empty()) return;
  const double now = m_now();
  const PartFrame& frame = m_frames.back();
  const ModelPass pass = frame.part == ModelPart::Optimizer ? ModelPass::Update
                         : frame.backward                   ? ModelPass::Backward
                         : m_training                       ? ModelPass::Forward
                                                            : ModelPass::Inference;
  m_times.at(pass, frame.part) += now - m_last;
  m_last = now;
}

/// Only the forward pass makes steps that are gone back through.
void PartClock::mark() {
  if (m_frames.back().backward) return;
  const std::uint64_t next = at::sequence_number::peek();
  if (!m_changes.empty() && m_changes.back().sequenceNumber == next) m_changes.pop_back();
  m_changes.push_back({next, m_frames.back().part});
}

ModelPart PartClock::partOf(std::int64_t sequenceNumber) const {
  const auto after = std::upper_bound(
      m_changes.begin(), m_changes.end(), static_cast<std::uint64_t>(sequenceNumber),
      [](std::uint64_t number, const PartChange& mark) { return number < mark.sequenceNumber; });
  return after == m_changes.begin() ? ModelPart::Other : std::prev(after)->part;
}

PartClockScope::PartClockScope(const std::shared_ptr<PartClock>& clock)
    : m_before(PartListener::current()),
      m_guard(clockKind(), clock),
      m_callbacks(at::addThreadLocalCallback(
          at::RecordFunctionCallback(operationBegins, operationEnds)
              .needsInputs(true)  // forward: of which layer an operation is
              .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}))) {
  PartListener::setCurrent(clock.get());
}

PartClockScope::~PartClockScope() {
  PartListener::setCurrent(m_before);
  at::removeCallback(m_callbacks);
}

}  // namespace headlight
