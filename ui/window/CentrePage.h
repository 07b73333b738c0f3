#pragma once
// The middle of the window: notices, view controls, the pictures, what the model predicts.

#include <QWidget>

class QSplitter;

namespace headlight {

class Document;
class NoticeBar;
class PictureTabs;

class CentrePage : public QWidget {
  Q_OBJECT
 public:
  explicit CentrePage(Document* document, QWidget* parent = nullptr);

  NoticeBar* notices() const { return m_notices; }
  PictureTabs* tabs() const { return m_tabs; }
  /// The prediction as high as at the first start.
  void putBack();

 private:
  NoticeBar* m_notices;
  PictureTabs* m_tabs;
  QSplitter* m_splitter;
};

}  // namespace headlight
