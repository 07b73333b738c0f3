#pragma once
// The pages of the middle: canvas, heads, rollout, compare.

#include <QList>
#include <QTabWidget>

class QAction;

namespace headlight {

class CompareView;
class Document;
class LookBridge;
class PictureView;
struct SideOffers;

class PictureTabs : public QTabWidget {
  Q_OBJECT
 public:
  /// `look` and `offers`: for what is compared (SideBySide).
  PictureTabs(Document* document, LookBridge* look, const SideOffers& offers,
              QWidget* parent = nullptr);

  /// "canvas", "heads", "rollout" or "compare"; another name changes nothing.
  void showPage(const QString& name);
  QString page() const;
  /// The picture of the page that is shown; null where it has none.
  PictureView* picture() const;
  /// Keys work in the page that is shown.
  void focusPage();

  CompareView* compare() const { return m_compare; }
  /// Showing each page, for the View menu.
  const QList<QAction*>& commands() const { return m_commands; }

 private:
  void markShown();
  void addPage(QWidget* page, const QString& name, const QString& icon, const QString& title,
               const QString& tip);

  CompareView* m_compare;
  QList<QAction*> m_commands;
};

}  // namespace headlight
