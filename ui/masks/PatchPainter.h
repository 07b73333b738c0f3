// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A grid of patches that is painted with the mouse or the keyboard: a drag sets what its first
// patch became. No document, no mask: ones and zeros.

#include <QWidget>

#include <cstdint>
#include <vector>

namespace headlight {

class PatchPainter : public QWidget {
  Q_OBJECT
 public:
  explicit PatchPainter(QWidget* parent = nullptr);

  /// `ones`: [rows × cols]. The marked patch is where the query stands; −1: none.
  void setPatches(int rows, int cols, std::vector<std::uint8_t> ones, int marked);
  const std::vector<std::uint8_t>& ones() const { return m_ones; }
  QRectF patchRect(int patch) const;

  QSize sizeHint() const override { return {280, 280}; }
  QSize minimumSizeHint() const override { return {140, 140}; }

 Q_SIGNALS:
  void painted();  ///< by the person

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  int patchAt(const QPointF& place) const;  ///< −1: none
  void set(int patch, std::uint8_t value);
  void move(int rows, int cols);
  void describe();  ///< the current patch, for screen readers

  int m_rows = 1, m_cols = 1, m_marked = -1, m_current = 0;
  std::uint8_t m_value = 1;  ///< of the drag
  std::vector<std::uint8_t> m_ones{0};
};

}  // namespace headlight
