#pragma once
// The pages of the middle: canvas, heads, rollout, compare.

#include <QList>
#include <QTabWidget>

class QAction;

namespace headlight {

class Document;
class PictureView;

class PictureTabs : public QTabWidget {
  Q_OBJECT
 public:
  explicit PictureTabs(Document* document, QWidget* parent = nullptr);

  /// "canvas", "heads", "rollout" or "compare"; another name changes nothing.
  void showPage(const QString& name);
  QString page() const;
  /// The picture of the page that is shown; null where it has none.
  PictureView* picture() const;
  /// Keys work in the page that is shown.
  void focusPage();

  /// Showing each page, for the View menu.
  const QList<QAction*>& commands() const { return m_commands; }

 private:
  void markShown();
  void addPage(QWidget* page, const QString& name, const QString& icon, const QString& title,
               const QString& tip);

  QList<QAction*> m_commands;
};

}  // namespace headlight
