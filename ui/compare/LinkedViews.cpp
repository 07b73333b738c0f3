// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/LinkedViews.h"

#include "core/workbench/session/PredictionComparison.h"

namespace headlight {
namespace {

constexpr std::size_t kWindow = 0, kLeft = 1;

int tokenIn(const Document& to, const Document& from) {
  return correspondingToken(from.view().query, from.model().grid, to.model().grid);
}

/// The token, and whether it is pinned or follows the pointer.
void shareToken(const Document& from, Document* to) {
  const int token = tokenIn(*to, from);
  if (from.isPinned()) return to->pin(token);
  to->unpin();
  if (from.isFollowing()) return to->follow(token);
  to->endFollowing();
  to->changeView([token](ViewOptions& view) { view.query = token; });
}

/// All but layer, head and token.
void shareLook(const ViewOptions& from, ViewOptions& to) {
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
  return document->view().query != known.query || document->isPinned() != pinned ||
         document->isFollowing() != following;
}

void LinkedViews::View::learn() {
  known = document->view();
  pinned = document->isPinned();
  following = document->isFollowing();
}

LinkedViews::LinkedViews(Document* window, Document* left, Document* right, QObject* parent)
    : QObject(parent), m_views{View{window}, View{left}, View{right}} {
  for (std::size_t i = 0; i < m_views.size(); ++i) {
    connect(m_views[i].document, &Document::viewChanged, this, [this, i] { changed(i); });
    connect(m_views[i].document, &Document::modelChanged, this, [this, i] { adopt(i); });
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
  if (m_linked || !left.hasModel()) return;
  const ViewOptions view = left.steadyView();
  const CompareSidePlace place{view.layer, view.head, view.query};
  if (place == m_place) return;
  m_place = place;
  Q_EMIT placeChanged();
}

/// A model of its own begins with the window's view, or where its side looks, and changes nothing
/// of the window's. The window's own changes are told by its view.
void LinkedViews::adopt(std::size_t to) {
  Document* window = m_views[kWindow].document;
  View& view = m_views[to];
  if (to != kWindow && window->hasModel() && view.document->hasModel()) {
    m_spreading = true;
    ViewOptions wanted = window->view();
    const bool own = to == kLeft && m_place;
    if (own) put(*m_place, wanted);
    view.document->setView(wanted);
    if (!own) shareToken(*window, view.document);
    m_spreading = false;
  }
  view.learn();
}

/// Only what was changed: a model of fewer layers that shows its last must not pull the others to
/// it.
void LinkedViews::changed(std::size_t from) {
  View& source = m_views[from];
  const ViewOptions before = source.known, now = source.document->view();
  const bool newToken = source.hasNewToken();
  source.learn();
  if (m_spreading || !source.document->hasModel()) return;
  if (from == kLeft) keepPlace();
  m_spreading = true;
  for (std::size_t i = 0; i < m_views.size(); ++i) {
    Document* to = m_views[i].document;
    if (i == from || !to->hasModel()) continue;
    const bool place = sharePlace(from, i);
    if (place && newToken) shareToken(*source.document, to);
    to->changeView([&](ViewOptions& view) {
      shareLook(now, view);
      if (place && now.layer != before.layer) view.layer = now.layer;
      if (place && now.head != before.head) view.head = now.head;
    });
    m_views[i].learn();
  }
  m_spreading = false;
}

}  // namespace headlight
