// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Compares two models, mask schemes, weights or images side by side: one cursor, one scale, their
// difference, and their predictions.

#include <QList>
#include <QPointer>
#include <QWidget>

#include "ui/compare/SideChooser.h"
#include "ui/document/Document.h"

class QAction;
class QComboBox;
class QStackedWidget;

namespace headlight {

class ComparedImage;
class ComparedExplanation;
class DifferenceImage;
class LinkedViews;
class ModelWorker;
class ImageView;

class CompareSides : public QWidget {
  Q_OBJECT
 public:
  /// `document`: the window's. `inference`: its worker; null: only the window's results are shown.
  /// All outlive it.
  CompareSides(Document* document, ModelWorker* inference, const CompareSideOffers& offers,
               QWidget* parent);
  ~CompareSides() override;

  const Comparison& comparison() const { return m_comparison; }
  void setComparison(const Comparison& comparison);
  /// The same, and shows this page.
  void showComparison(const Comparison& comparison);

  const Document& left() const { return m_left.document; }
  const Document& right() const { return m_right.document; }
  /// Shows the view's explanation in place of attention.
  void showOtherExplanation();
  const ComparedExplanation* leftExplanation() const { return m_left.method; }
  const ComparedExplanation* rightExplanation() const { return m_right.method; }
  /// A side is still being computed.
  bool isBusy() const;

  /// Swap, link, difference and explanation: for the View menu.
  const QList<QAction*>& commands() const { return m_commands; }
  /// The same as buttons, visible with this page.
  QWidget* makeSwitches(QWidget* parent);

 Q_SIGNALS:
  void changed();  ///< the comparison
  void wanted();   ///< a command changed it while it is hidden

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  struct Side {
    Document document;
    CompareLoader* bridge = nullptr;
    SideChooser* chooser = nullptr;
    ComparedImage* image = nullptr;
    ComparedExplanation* method = nullptr;
    QStackedWidget* pages = nullptr;  ///< image or explanation
  };
  void build(Side& side, const Side& other, const QString& name, const CompareSideOffers& offers,
             ModelWorker* inference);
  void layOut();
  void makeCommands();
  void mirror(ImageView* from, const QList<ImageView*>& to);
  QWidget* makeShown(QWidget* parent);
  void chooseExplanation(const QString& method);
  void showExplanation();
  void joinScales();
  void choose(std::size_t index, const CompareSide& side);
  void change(const std::function<void(Comparison&)>& change);

  Document* m_window;
  Comparison m_comparison;
  Side m_left, m_right;
  LinkedViews* m_links;
  DifferenceImage* m_difference;
  QWidget* m_differenceColumn = nullptr;
  QPointer<QWidget> m_switches;
  QPointer<QComboBox> m_shown;
  QAction *m_swap = nullptr, *m_link = nullptr, *m_show = nullptr, *m_other = nullptr;
  QList<QAction*> m_commands;
};

}  // namespace headlight
