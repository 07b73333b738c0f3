// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/MatrixKeys.h"

namespace headlight {
namespace {

constexpr int kFar = 1 << 20;

std::optional<MaskKind> kindOfKey(int key) {
  switch (key) {
    case Qt::Key_N:
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
      return MaskKind::None;
    case Qt::Key_H:
      return MaskKind::Hard;
    case Qt::Key_S:
      return MaskKind::Soft;
    case Qt::Key_X:
      return MaskKind::Strict;
    case Qt::Key_R:
      return MaskKind::Random;
    case Qt::Key_D:
      return MaskKind::Decay;
    default:
      return std::nullopt;
  }
}

bool isPlain(const QKeyEvent& event) {
  return !(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
}

}  // namespace

std::optional<MaskKey> findMaskKey(const QKeyEvent& event) {
  using What = MaskKey::What;
  if (!isPlain(event)) return std::nullopt;
  const int key = event.key();
  if (const auto kind = kindOfKey(key)) return MaskKey{What::Kind, *kind, 0};
  if (key >= Qt::Key_1 && key <= Qt::Key_9) return MaskKey{What::Window, {}, key - Qt::Key_0};
  switch (key) {
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return MaskKey{What::Toggle, {}, 0};
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return MaskKey{What::WindowBy, {}, 1};
    case Qt::Key_Minus:
      return MaskKey{What::WindowBy, {}, -1};
    case Qt::Key_B:
      return MaskKey{What::PaintMode, {}, 0};
    default:
      return std::nullopt;
  }
}

bool isClaimed(const QKeyEvent& event) {
  // Return is a shortcut of nothing else.
  return findMaskKey(event) && event.key() != Qt::Key_Return && event.key() != Qt::Key_Enter;
}

std::optional<MatrixMove> findMove(const QKeyEvent& event, int page) {
  if (event.modifiers() & Qt::ControlModifier) return std::nullopt;
  switch (event.key()) {
    case Qt::Key_Left:
      return MatrixMove{0, -1};
    case Qt::Key_Right:
      return MatrixMove{0, 1};
    case Qt::Key_Up:
      return MatrixMove{-1, 0};
    case Qt::Key_Down:
      return MatrixMove{1, 0};
    case Qt::Key_Home:
      return MatrixMove{0, -kFar};
    case Qt::Key_End:
      return MatrixMove{0, kFar};
    case Qt::Key_PageUp:
      return MatrixMove{-page, 0};
    case Qt::Key_PageDown:
      return MatrixMove{page, 0};
    default:
      return std::nullopt;
  }
}

}  // namespace headlight
