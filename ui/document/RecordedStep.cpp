// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/RecordedStep.h"

#include <cmath>
#include <utility>
#include <vector>

#include "core/workbench/training/TrainingSession.h"
#include "ui/document/Document.h"
#include "ui/document/HeadValues.h"
#include "ui/document/RecordedView.h"

namespace headlight {
namespace {

/// A mechanism without maps of tokens by tokens records nothing for its layer.
bool fits(const HeadPoint& point, const std::vector<int>& heads) {
  if (point.locality.size() != heads.size()) return false;
  for (std::size_t layer = 0; layer < heads.size(); ++layer)
    if (const auto count = point.locality[layer].size();
        count != 0 && count != static_cast<std::size_t>(heads[layer]))
      return false;
  return true;
}

}  // namespace

void RecordedStep::setPoint(std::shared_ptr<const HeadPoint> point) {
  const InferenceInputs& inputs = m_document.inputs();
  if (point && !(inputs.hasModel() && fits(*point, inputs.model().heads))) point.reset();
  if (point == m_point) return;
  m_point = std::move(point);
  Q_EMIT changed();
}

void RecordedStep::setView(std::shared_ptr<const RecordedView> view) {
  if (view == m_view) return;
  const auto imageOf = [](const auto& of) { return of ? of->image : nullptr; };
  const bool otherImage = imageOf(view) != imageOf(m_view);
  ViewState& shown = m_document.view();
  int& query = shown.m_options.query;
  if (view && !m_view) m_liveToken = shown.m_followedFrom.value_or(query);
  const bool chosen = m_view && query != keptToken(m_liveToken);
  m_view = std::move(view);
  const int before = query;
  query = m_view || chosen ? keptToken(query) : m_liveToken;
  if (otherImage) Q_EMIT shownImageChanged();
  Q_EMIT m_document.inferenceChanged();
  if (before != query) Q_EMIT shown.changed();
}

int RecordedStep::nearestToken(int token) const {
  if (!m_view || !m_document.inputs().hasModel()) return token;
  return nearestKeptToken(m_view->queries, token, m_document.inputs().model().grid);
}

/// A learned map has no rows: every token may look.
int RecordedStep::keptToken(int token) const {
  return m_document.view().options().learned.empty() ? nearestToken(token) : token;
}

std::optional<float> RecordedStep::alpha(int layer, int head) const {
  if (!m_point) return std::nullopt;
  const auto alpha = headValue(m_point->alpha, layer, head);
  return alpha && std::isfinite(*alpha) ? alpha : std::nullopt;
}

const Image& RecordedStep::shownImage() const {
  return m_view ? *m_view->image : m_document.inputs().image();
}

const QString& RecordedStep::shownImageName() const {
  return m_view ? m_view->imageName : m_document.inputs().imageName();
}

const MaskScheme& RecordedStep::shownMasks() const {
  const MaskScheme& live = m_document.inputs().masks();
  const bool recorded = m_view && m_view->inference->masks.shape() == live.shape();
  return recorded ? m_view->inference->masks : live;
}

}  // namespace headlight
