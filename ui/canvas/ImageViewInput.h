// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The mouse and the keys over an ImageView: zooming, moving the image, and picking patches.

#include <QObject>
#include <QPointF>

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace headlight {

class ImageView;

/// Keys: + and − zoom, 0 fits, 1 is 100 % (one image pixel a screen pixel). The wheel zooms about
/// the pointer; the middle button, or the left one with space held, drags the image.
class ImageViewInput : public QObject {
  Q_OBJECT
 public:
  explicit ImageViewInput(ImageView* view);

  void press(const QMouseEvent& event);
  void move(const QMouseEvent& event);
  void release();
  void wheel(const QWheelEvent& event);

  static bool claimsKey(const QKeyEvent& event);
  bool pressKey(const QKeyEvent& event);    ///< false: it claims no such key
  bool releaseKey(const QKeyEvent& event);  ///< likewise
  void loseFocus();

 Q_SIGNALS:
  /// By the left button; a drag that leaves the region goes on along its edge.
  void picked(int patch);
  void hovered(int patch);  ///< the patch under the pointer, as often as it moves; −1: none

 private:
  void pick(const QPointF& position);

  ImageView* m_view;
  bool m_panning = false;
  bool m_picking = false;
  bool m_spaceHeld = false;
  QPointF m_panFrom;
};

}  // namespace headlight
