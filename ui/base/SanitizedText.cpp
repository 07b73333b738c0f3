// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/SanitizedText.h"

#include <QTextDocument>

namespace headlight {
namespace {

bool turnsOrStructures(char16_t character) {
  return (character >= 0x2028 && character <= 0x202E) ||
         (character >= 0x2066 && character <= 0x2069) || character == 0xFDD0 || character == 0xFDD1;
}

bool isHarmful(QChar character) {
  if (character == QLatin1Char('\n') || character == QLatin1Char('\t')) return false;
  return character.category() == QChar::Other_Control || turnsOrStructures(character.unicode());
}

}  // namespace

QString shownText(const QString& text) {
  QString shown = text;
  for (QChar& character : shown)
    if (isHarmful(character)) character = QChar(QChar::ReplacementCharacter);
  return shown;
}

QString displayName(const QString& name) {
  QString shown = shownText(name);
  for (QChar& character : shown)
    if (character.isSpace()) character = QLatin1Char(' ');
  return shown;
}

QString displayName(const std::string& name) {
  return displayName(QString::fromStdString(name));
}

QString plainToolTip(const QString& text) {
  const QString shown = shownText(text);
  return Qt::mightBeRichText(shown) ? Qt::convertFromPlainText(shown) : shown;
}

}  // namespace headlight
