// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the mask matrix paints with: kind, window, α of soft masks, seed of random ones, γ of decays.

#include <QWidget>

#include <functional>
#include <optional>

#include "core/masks/HeadMask.h"

class QButtonGroup;
class QDoubleSpinBox;
class QHBoxLayout;
class QLabel;
class QSlider;
class QSpinBox;
class QToolButton;

namespace headlight {

class BrushEditor : public QWidget {
  Q_OBJECT
 public:
  explicit BrushEditor(QWidget* parent = nullptr);

  const HeadMask& brush() const { return m_brush; }
  void setBrush(const HeadMask& brush);  ///< without a signal
  void setLargestWindow(int window);
  /// Window and α show and edit `mask`, of heads that are called `whose`, and not the brush; null:
  /// the brush.
  void setSubject(const std::optional<HeadMask>& mask, const QString& whose);

 Q_SIGNALS:
  void brushEdited(const headlight::HeadMask& brush);  ///< by the person
  // Of the subject, by the person.
  void windowEdited(int window);
  void alphaEdited(double alpha);
  void gammaEdited(double gamma);
  void regionWanted();  ///< of the brush, or the subject

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QLayout* makeKindGrid();
  QLayout* makeParameterRow();
  void addWindow(QHBoxLayout* row);
  void addAlpha(QHBoxLayout* row);
  void addSeed(QHBoxLayout* row);
  void addGamma(QHBoxLayout* row);
  void addRegion(QHBoxLayout* row);
  void edit(const std::function<void(HeadMask&)>& change);
  void editWindow(int window);
  void editAlpha(double alpha);
  void editGamma(double gamma);
  void display();
  void displayParameters(const HeadMask& mask);

  HeadMask m_brush;
  std::optional<HeadMask> m_subject;
  int m_largestWindow = 255;  ///< in patches
  QButtonGroup* m_kinds;
  QSpinBox* m_window = nullptr;
  QLabel* m_alphaLabel = nullptr;
  QSlider* m_alpha = nullptr;
  QDoubleSpinBox* m_alphaValue = nullptr;
  QLabel* m_seedLabel = nullptr;
  QSpinBox* m_seed = nullptr;
  QLabel* m_gammaLabel = nullptr;
  QDoubleSpinBox* m_gamma = nullptr;
  QToolButton* m_region = nullptr;
  QLabel* m_whose = nullptr;
};

}  // namespace headlight
