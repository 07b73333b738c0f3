// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The middle of the window: the pictures, with notices over them.

#include <QWidget>

namespace headlight {

class Document;
class ModelWorker;
class NoticeBar;
class PictureTabs;
struct CompareSideOffers;

class CentrePage : public QWidget {
  Q_OBJECT
 public:
  /// As PictureTabs.
  CentrePage(Document* document, ModelWorker* look, const CompareSideOffers& offers,
             QWidget* parent = nullptr);

  NoticeBar* notices() const { return m_notices; }
  PictureTabs* tabs() const { return m_tabs; }
  /// Lies over the pictures, below the notices, while it is shown.
  void setStartPage(QWidget* page);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void placeNotices();
  void placeStartPage();

  NoticeBar* m_notices;
  QWidget* m_startPage = nullptr;
  PictureTabs* m_tabs;
};

}  // namespace headlight
