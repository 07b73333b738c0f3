// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A line below the images: a suggested model with size and license, its download, and the way to
// decline. It is not modal, and its buttons leave the focus where it is.

#include <QToolBar>

class QComboBox;
class QPushButton;

namespace headlight {

class MessageLabel;
class ProgressLine;
struct FetchProgress;
struct SuggestedModel;

class ModelOfferBar : public QToolBar {
  Q_OBJECT
 public:
  explicit ModelOfferBar(QWidget* parent = nullptr);

  /// Null: the build suggests none.
  const SuggestedModel* chosen() const;

  /// `lead`: what stands before the choice. `here`: the chosen model is on this computer.
  void showOffer(const QString& lead, bool here);
  void showProgress(const FetchProgress& progress);
  void showStarting();
  /// The download ended without a model: why, to be tried again.
  void showProblem(const QString& text);
  /// The model is here, but the window has changed since it was asked for.
  void showReady(const QString& text);

 Q_SIGNALS:
  void chosenChanged();
  void accepted();  ///< download and open, or open
  void othersWanted();
  void tourWanted();
  void stopped();
  void dismissed();  ///< not now

 private:
  QPushButton* addButton(const char* name, const QString& text, const QString& tip,
                         void (ModelOfferBar::*signal)());
  void fillModels();
  void showDownload(const QString& text);
  /// Only these buttons, and the choice of models where `choice`.
  void showOnly(const QList<QPushButton*>& buttons, bool choice);

  QWidget* m_content;
  MessageLabel* m_text;
  QComboBox* m_models;
  ProgressLine* m_progress;
  QPushButton *m_get, *m_stop, *m_others, *m_tour, *m_dismiss;
};

}  // namespace headlight
