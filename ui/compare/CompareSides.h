// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two of anything side by side: models, mask schemes, weights, pictures. One cursor, one scale,
// their difference, and what each predicts.

#include <QList>
#include <QPointer>
#include <QWidget>

#include "ui/compare/SideChooser.h"
#include "ui/document/Document.h"

class QAction;
class QComboBox;
class QStackedWidget;

namespace headlight {

class ComparedPicture;
class ComparedExplanation;
class DifferencePicture;
class LinkedViews;
class ModelWorker;
class PictureView;

class CompareSides : public QWidget {
  Q_OBJECT
 public:
  /// `document`: the window's. `look`: its bridge; null: only what the window has looked at is
  /// seen. All outlive it.
  CompareSides(Document* document, ModelWorker* look, const CompareSideOffers& offers,
               QWidget* parent);
  ~CompareSides() override;

  const Comparison& comparison() const { return m_comparison; }
  void setComparison(const Comparison& comparison);
  /// The same, and brings it into view.
  void showComparison(const Comparison& comparison);

  const Document& left() const { return m_left.document; }
  const Document& right() const { return m_right.document; }
  /// The way that the view names, in place of attention.
  void showOtherExplanation();
  const ComparedExplanation* leftExplanation() const { return m_left.way; }
  const ComparedExplanation* rightExplanation() const { return m_right.way; }
  /// Something is still looked at.
  bool isBusy() const;

  /// Swapping, linking, the difference: for the View menu.
  const QList<QAction*>& commands() const { return m_commands; }
  /// The same as buttons, shown while this is.
  QWidget* makeSwitches(QWidget* parent);

 Q_SIGNALS:
  void changed();  ///< the comparison
  void wanted();   ///< a command changed it while it is out of sight

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  struct Side {
    Document document;
    CompareLoader* bridge = nullptr;
    SideChooser* chooser = nullptr;
    ComparedPicture* picture = nullptr;
    ComparedExplanation* way = nullptr;
    QStackedWidget* pages = nullptr;  ///< picture or way
  };
  void build(Side& side, const Side& other, const QString& name, const CompareSideOffers& offers,
             ModelWorker* look);
  void layOut();
  void makeCommands();
  void mirror(PictureView* from, const QList<PictureView*>& to);
  QWidget* makeShown(QWidget* parent);
  void chooseExplanation(const QString& way);
  void showExplanation();
  void joinScales();
  void choose(std::size_t index, const CompareSide& side);
  void change(const std::function<void(Comparison&)>& change);

  Document* m_window;
  Comparison m_comparison;
  Side m_left, m_right;
  LinkedViews* m_links;
  DifferencePicture* m_difference;
  QWidget* m_differenceColumn = nullptr;
  QPointer<QWidget> m_switches;
  QPointer<QComboBox> m_shown;
  QAction *m_swap = nullptr, *m_link = nullptr, *m_show = nullptr, *m_other = nullptr;
  QList<QAction*> m_commands;
};

}  // namespace headlight
