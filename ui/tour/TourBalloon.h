// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a step of the tour says, with its buttons. It lies over the window and never takes the
// focus by itself: its buttons are reached by Tab.

#include <QFrame>

class QLabel;
class QPushButton;

namespace headlight {

class TourBalloon : public QFrame {
  Q_OBJECT
 public:
  explicit TourBalloon(QWidget* window);

  /// `step` from 0. Announced to screen readers.
  void showStep(int step, int steps, const QString& title);
  void setText(const QString& text);
  QString text() const;
  /// `offered` empty: no button.
  void setTry(const QString& offered, const QString& tip);
  void setShowAgain(bool offered);
  /// As wide as `room` allows and high enough for the text.
  QSize fittingSize(const QSize& room) const;

 Q_SIGNALS:
  void next();
  void back();
  void left();
  void tried();
  void showAgain();  ///< what the step points at is hidden: show it again

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QPushButton* addButton(const char* name, const QString& text, const QString& tip,
                         void (TourBalloon::*signal)());
  void applyColors();

  QLabel *m_title, *m_text;
  QPushButton *m_leave, *m_showAgain, *m_try, *m_back, *m_next;
};

}  // namespace headlight
