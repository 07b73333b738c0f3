// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The middle of the window: the images, with notices over them.

#include <QWidget>

namespace headlight {

class Document;
class ModelWorker;
class NoticeBar;
class ImageTabs;
struct CompareSideOffers;

class CenterPage : public QWidget {
  Q_OBJECT
 public:
  /// As ImageTabs.
  CenterPage(Document* document, ModelWorker* inference, const CompareSideOffers& offers,
             QWidget* parent = nullptr);

  NoticeBar* notices() const { return m_notices; }
  ImageTabs* tabs() const { return m_tabs; }
  /// Lies over the images, below the notices, while it is shown.
  void setStartPage(QWidget* page);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void placeNotices();
  void announceNotices();
  void placeStartPage();

  NoticeBar* m_notices;
  QWidget* m_startPage = nullptr;
  ImageTabs* m_tabs;
};

}  // namespace headlight
