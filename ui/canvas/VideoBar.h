// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The transport line of a video: play, steps, a slider with time, how fast, and in words what is
// shown. Hidden while no video is open.

#include <QToolBar>

class QAction;
class QComboBox;
class QLabel;
class QSlider;

namespace headlight {

class VideoPlayer;

class VideoBar : public QToolBar {
  Q_OBJECT
 public:
  /// `actions` stand as buttons: those before the slider, those behind it.
  struct Buttons {
    QList<QAction*> before, behind;
  };
  VideoBar(VideoPlayer* player, const Buttons& buttons, QWidget* parent = nullptr);

  /// "frame 123 of 300 · 4.1 s · 6.0 frames/s looked at".
  QString text() const;
  /// Hidden or shown as it should be: arrangements of the window know nothing of videos.
  void showWhereNeeded();

 private:
  void refresh();
  void choosePace(int index);

  VideoPlayer* m_player;
  QSlider* m_slider;
  QLabel* m_label;
  QComboBox* m_pace;
};

}  // namespace headlight
