// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The keys of the images work wherever the focus is. Keys that nobody else takes go to the image of
// the shown tab, and so do characters in lists and fields where they cannot be typed. Esc and Enter
// leave a field.

#include <QObject>

class QKeyEvent;
class QMainWindow;
class QWidget;

namespace headlight {

class ImageTabs;

class ImageKeys : public QObject {
 public:
  /// For `window` with its docks, also those that float; both outlive it.
  ImageKeys(QMainWindow* window, ImageTabs* tabs);
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool handleUnclaimed(QKeyEvent* event);
  bool sendToImage(QKeyEvent* event);

  QMainWindow* m_window;
  ImageTabs* m_tabs;
  bool m_sending = false;  ///< what the image leaves comes back here
};

}  // namespace headlight
