// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pages of the middle: canvas, heads, rollout, compare, other ways of looking.

#include <QList>
#include <QTabWidget>

class QAction;

namespace headlight {

class CompareView;
class Document;
class ModelWorker;
class PictureView;
class ExplanationView;
struct CompareSideOffers;

class PictureTabs : public QTabWidget {
  Q_OBJECT
 public:
  /// `look` and `offers`: for what is compared (CompareSides).
  PictureTabs(Document* document, ModelWorker* look, const CompareSideOffers& offers,
              QWidget* parent = nullptr);

  /// "canvas", "heads", "rollout", "compare" or "ways"; another name changes nothing.
  void showPage(const QString& name);
  QString page() const;
  /// The picture of the page that is shown; null where it has none.
  PictureView* picture() const;
  /// Where the page that is shown has pictures or plots, below its controls; in own coordinates.
  QRect contentArea() const;
  /// Keys work in the page that is shown.
  void focusPage();

  CompareView* compare() const { return m_compare; }
  ExplanationView* ways() const { return m_ways; }
  /// Showing each page, for the View menu.
  const QList<QAction*>& commands() const { return m_commands; }

 private:
  void markShown();
  void showExplanation();
  void addPage(QWidget* page, const QString& name, const QString& icon, const QString& title,
               const QString& tip);

  CompareView* m_compare;
  ExplanationView* m_ways;
  QList<QAction*> m_commands;
};

}  // namespace headlight
