// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pages of the middle: canvas, heads, rollout, compare, explanations.

#include <QList>
#include <QTabWidget>

class QAction;

namespace headlight {

class CompareView;
class Document;
class ModelWorker;
class ImageView;
class ExplanationView;
struct CompareSideOffers;

class ImageTabs : public QTabWidget {
  Q_OBJECT
 public:
  /// `inference` and `offers`: for what is compared (CompareSides).
  ImageTabs(Document* document, ModelWorker* inference, const CompareSideOffers& offers,
            QWidget* parent = nullptr);

  /// "canvas", "heads", "rollout", "compare" or "explain"; another name changes nothing.
  void showPage(const QString& name);
  QString page() const;
  /// The image of the page that is shown; null where it has none.
  ImageView* image() const;
  /// The area of images or plots of the shown page, below its controls; in own coordinates.
  QRect contentArea() const;
  /// What takes the keys of the page that is shown.
  QWidget* keyTarget() const;
  /// Gives it the focus.
  void focusPage();

  CompareView* compare() const { return m_compare; }
  ExplanationView* explanations() const { return m_explanations; }
  /// Showing each page, for the View menu.
  const QList<QAction*>& commands() const { return m_commands; }

 private:
  void markShown();
  void showExplanation();
  void addPage(QWidget* page, const QString& name, const QString& icon, const QString& title,
               const QString& tip);

  CompareView* m_compare;
  ExplanationView* m_explanations;
  QList<QAction*> m_commands;
};

}  // namespace headlight
