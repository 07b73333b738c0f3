// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/LinkedViews.h"

#include "core/workbench/session/PredictionComparison.h"

namespace headlight {
namespace {

constexpr std::size_t kWindow = 0, kLeft = 1;

int tokenIn(const Document& to, const Document& from) {
  return correspondingToken(from.view().options().query, from.inputs().model().grid,
                            to.inputs().model().grid);
}

/// The token, and whether it is pinned or follows the pointer.
void shareToken(const Document& from, Document* to) {
  const int token = tokenIn(*to, from);
  if (from.view().isPinned()) return to->view().pin(token);
  to->view().unpin();
  if (from.view().isFollowing()) return to->view().follow(token);
  to->view().endFollowing();
  to->view().change([token](ViewOptions& view) { view.query = token; });
}

/// All but layer, head and token.
void shareInference(const ViewOptions& from, ViewOptions& to) {
  const ViewOptions place = to;
  to = from;
  to.layer = place.layer;
  to.head = place.head;
  to.query = place.query;
}

void put(const CompareSidePlace& place, ViewOptions& view) {
  view.layer = place.layer;
  view.head = place.head;
  view.query = place.query;
}

}  // namespace

bool LinkedViews::View::hasNewToken() const {
  return document->view().options().query != known.query || document->view().isPinned() != pinned ||
         document->view().isFollowing() != following;
}

void LinkedViews::View::learn() {
  known = document->view().options();
  pinned = document->view().isPinned();
  following = document->view().isFollowing();
}

LinkedViews::LinkedViews(Document* window, Document* left, Document* right, QObject* parent)
    : QObject(parent), m_views{View{window}, View{left}, View{right}} {
  for (std::size_t i = 0; i < m_views.size(); ++i) {
    connect(&m_views[i].document->view(), &ViewState::changed, this, [this, i] { changed(i); });
    connect(&m_views[i].document->inputs(), &InferenceInputs::modelChanged, this,
            [this, i] { adopt(i); });
    m_views[i].learn();
  }
}

bool LinkedViews::sharePlace(std::size_t a, std::size_t b) const {
  return m_linked || (a != kLeft && b != kLeft);
}

void LinkedViews::setLinked(bool linked) {
  if (linked == m_linked) return;
  m_linked = linked;
  if (!linked) return keepPlace();
  m_place.reset();
  adopt(kLeft);
  Q_EMIT placeChanged();
}

void LinkedViews::setPlace(const CompareSidePlace& place) {
  if (m_linked || m_place == place) return;
  m_place = place;
  adopt(kLeft);
}

void LinkedViews::keepPlace() {
  const Document& left = *m_views[kLeft].document;
  if (m_linked || !left.inputs().hasModel()) return;
  const ViewOptions view = left.view().steady();
  const CompareSidePlace place{view.layer, view.head, view.query};
  if (place == m_place) return;
  m_place = place;
  Q_EMIT placeChanged();
}

/// A new model on a side starts with the window's view or the side's own place, and does not change
/// the window. The window's own changes arrive through its view.
void LinkedViews::adopt(std::size_t to) {
  Document* window = m_views[kWindow].document;
  View& view = m_views[to];
  if (to != kWindow && window->inputs().hasModel() && view.document->inputs().hasModel()) {
    m_spreading = true;
    ViewOptions wanted = window->view().options();
    const bool own = to == kLeft && m_place;
    if (own) put(*m_place, wanted);
    view.document->view().set(wanted);
    if (!own) shareToken(*window, view.document);
    m_spreading = false;
  }
  view.learn();
}

/// Applies only changed fields: a model with fewer layers that shows its last one must not move the
/// others.
void LinkedViews::changed(std::size_t from) {
  View& source = m_views[from];
  const ViewOptions before = source.known, now = source.document->view().options();
  const bool newToken = source.hasNewToken();
  source.learn();
  if (m_spreading || !source.document->inputs().hasModel()) return;
  if (from == kLeft) keepPlace();
  m_spreading = true;
  for (std::size_t i = 0; i < m_views.size(); ++i) {
    Document* to = m_views[i].document;
    if (i == from || !to->inputs().hasModel()) continue;
    const bool place = sharePlace(from, i);
    if (place && newToken) shareToken(*source.document, to);
    to->view().change([&](ViewOptions& view) {
      shareInference(now, view);
      if (place && now.layer != before.layer) view.layer = now.layer;
      if (place && now.head != before.head) view.head = now.head;
    });
    m_views[i].learn();
  }
  m_spreading = false;
}

}  // namespace headlight
