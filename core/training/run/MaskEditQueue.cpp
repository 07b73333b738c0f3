// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/MaskEditQueue.h"

#include <algorithm>

#include "core/base/Translation.h"
#include "core/models/Registry.h"

namespace headlight {
namespace {

/// Whether a config can say it: what cannot be exported must not be trained with.
bool canBeWritten(const MaskEdit& edit) {
  return std::all_of(edit.changes.begin(), edit.changes.end(), [](const MaskChange& change) {
    const auto read = headMaskFromText(toText(change.after));
    return read && *read == change.after;
  });
}

}  // namespace

Result<void> canEditMasks(const Experiment& experiment) {
  if (taskOf(experiment.model) != Task::Rebuild) return {};
  return Error{ErrorCode::InvalidArgument,
               tr("the run trains an MAE, whose heads cannot be masked while patches are dropped; "
                  "edit masks of the open model, or of a model that starts from the MAE"),
               "masks"};
}

MaskEditQueue::MaskEditQueue(Experiment experiment, MaskScheme initial)
    : m_experiment(std::move(experiment)), m_scheme(std::move(initial)) {}

bool MaskEditQueue::submit(const MaskEdit& edit) {
  const std::lock_guard lock(m_mutex);
  if (m_closed || m_waiting.size() >= kMaxWaiting || !canBeWritten(edit)) return false;
  if (!canEditMasks(m_experiment)) return false;
  if (m_experiment.edits.size() + m_waiting.size() >= Experiment::kMaxEdits) return false;
  MaskScheme trial = m_scheme;  // the shape never changes, so what fits now will fit then
  if (!applyMaskEdit(trial, edit)) return false;
  if (!edit.empty()) m_waiting.push_back(edit);
  return true;
}

void MaskEditQueue::close() {
  const std::lock_guard lock(m_mutex);
  m_closed = true;
}

std::optional<MaskEditQueue::Pending> MaskEditQueue::next(std::int64_t step) {
  const std::lock_guard lock(m_mutex);
  const auto& edits = m_experiment.edits;
  if (m_applied < edits.size() && edits[m_applied].step <= step)
    return Pending{edits[m_applied], false};
  if (m_waiting.empty()) return std::nullopt;
  Pending pending{{step, std::move(m_waiting.front())}, true};
  m_waiting.pop_front();
  return pending;
}

void MaskEditQueue::commit(const Pending& pending) {
  const std::lock_guard lock(m_mutex);
  if (pending.submitted) {
    auto& edits = m_experiment.edits;
    edits.insert(edits.begin() + static_cast<std::ptrdiff_t>(m_applied), pending.edit);
  }
  ++m_applied;
  valueOrThrow(applyMaskEdit(m_scheme, pending.edit.edit));
}

MaskScheme MaskEditQueue::masks() const {
  const std::lock_guard lock(m_mutex);
  return m_scheme;
}

Experiment MaskEditQueue::exported() const {
  const std::lock_guard lock(m_mutex);
  return m_experiment;
}

std::size_t MaskEditQueue::applied() const {
  const std::lock_guard lock(m_mutex);
  return m_applied;
}

}  // namespace headlight
