// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/ViewState.h"

#include <QLocale>

#include <algorithm>
#include <utility>

#include "ui/base/CoreText.h"
#include "ui/document/Document.h"

namespace headlight {
namespace {

QString shortText(double value) {
  return QLocale::c().toString(value, 'g', 3);
}

}  // namespace

bool ViewState::reset(const ModelInfo& info) {
  m_followedFrom.reset();
  m_pinned = false;
  ViewOptions view = m_options;
  view.layer = std::max(static_cast<int>(info.heads.size()) - 1, 0);
  view.head = -1;
  view.learned.clear();
  view.segmentQuery = view.decoderLayer = -1;
  view.method.classIndex = view.method.layer = view.method.cell = -1;
  // Without a class token the middle looks: a corner tells little.
  view.query = info.grid.hasClassToken() ? 0 : info.grid.middleToken();
  return !(std::exchange(m_options, view) == view);
}

void ViewState::set(const ViewOptions& options) {
  if (options.query == m_options.query) return show(options);
  m_followedFrom.reset();
  ViewOptions view = options;
  view.method.cell = view.segmentQuery = -1;
  show(view);
}

void ViewState::lookFrom(int token, int cell) {
  ViewOptions view = m_options;
  view.query = token;
  view.method.cell = cell;
  view.segmentQuery = -1;
  show(view);
}

void ViewState::show(const ViewOptions& options) {
  const ViewOptions view = clamped(options);
  if (view == m_options) return;
  m_options = view;
  Q_EMIT changed();
}

ViewOptions ViewState::clamped(ViewOptions view) const {
  if (m_document.inputs().hasModel()) {
    const ModelInfo& model = m_document.inputs().model();
    const int layers = static_cast<int>(model.heads.size());
    view.layer = std::clamp(view.layer, 0, std::max(layers - 1, 0));
    const int heads = layers > 0 ? model.heads[view.layer] : 0;
    view.head = std::clamp(view.head, -1, heads - 1);
    view.query = std::clamp(view.query, 0, std::max(model.grid.tokens() - 1, 0));
    view.method.layer = std::clamp(view.method.layer, -1, std::max(layers - 1, -1));
    view.method.classIndex =
        std::clamp(view.method.classIndex, -1, model.experiment.model.classes - 1);
    if (view.learned.empty()) view.query = m_document.recorded().nearestToken(view.query);
  }
  if (!view.learned.empty() && m_options.learned.empty()) view.query = placedToken(view.query);
  view.decoderLayer = std::max(view.decoderLayer, -1);
  view.opacity = std::clamp(view.opacity, 0.0, 1.0);
  view.dim = std::clamp(view.dim, 0.0, 1.0);
  view.objectThreshold = std::clamp(view.objectThreshold, 0.0, 1.0);
  view.segmentOpacity = std::clamp(view.segmentOpacity, 0.0, 1.0);
  view.rollout.discardRatio = std::clamp(view.rollout.discardRatio, 0.0, 0.99);
  return view;
}

/// A learned map is of places: a token that has none gives way to the middle patch.
int ViewState::placedToken(int token) const {
  if (!m_document.inputs().hasModel()) return token;
  const Grid& grid = m_document.inputs().model().grid;
  return token >= grid.prefix ? token : grid.middleToken();
}

void ViewState::change(const std::function<void(ViewOptions&)>& edit) {
  ViewOptions view = m_options;
  edit(view);
  set(view);
}

void ViewState::follow(int token) {
  if (m_pinned || !m_document.inputs().hasModel()) return;
  if (!m_followedFrom) m_followedFrom = m_options.query;
  lookFrom(token);
}

void ViewState::endFollowing() {
  const auto before = std::exchange(m_followedFrom, std::nullopt);
  if (before) lookFrom(*before);
}

void ViewState::pin(int token) {
  pinBox(token, -1);
}

void ViewState::pinBox(int token, int cell) {
  m_followedFrom.reset();
  const bool isNew = !std::exchange(m_pinned, true);
  const int before = m_options.query;
  lookFrom(token, cell);
  if (isNew && before == m_options.query) Q_EMIT changed();  // legends say that it is pinned
}

void ViewState::pinSegment(int token, int query, int classIndex) {
  pin(token);
  change([=](ViewOptions& view) {
    view.segmentQuery = query;
    view.method.classIndex = classIndex;
  });
}

void ViewState::unpin() {
  if (std::exchange(m_pinned, false)) Q_EMIT changed();
}

ViewOptions ViewState::steady() const {
  ViewOptions view = m_options;
  if (m_followedFrom) view.query = *m_followedFrom;
  return view;
}

QString ViewState::describe() const {
  QStringList parts{tr("layer %1").arg(m_options.layer),
                    m_options.head < 0 ? tr("mean of heads") : tr("head %1").arg(m_options.head),
                    describeToken(m_options.query)};
  // A recorded step has a line of its own for it.
  if (const QString note = m_document.sourceNote();
      !note.isEmpty() && !m_document.recorded().view())
    parts << note;
  return parts.join(QStringLiteral(" · "));
}

QString ViewState::describeToken(int token) const {
  if (!m_document.inputs().hasModel()) return tr("token %1").arg(token);
  return coreText(tokenText(token, m_document.inputs().model().grid));
}

QString ViewState::describeRange(const ValueRange& range) const {
  return (m_options.sharedRange ? tr("one scale for all heads: %1 to %2")
                                : tr("scaled to this map: %1 to %2"))
      .arg(shortText(range.low), shortText(range.high));
}

}  // namespace headlight
