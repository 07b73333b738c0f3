// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/FilmChoices.h"

#include <QComboBox>
#include <QObject>

namespace headlight {

QList<FilmChoice> filmChoices() {
  return {{QObject::tr("a film (GIF)"), ".gif", "GIF (*.gif)"},
          {QObject::tr("a film (AVI, Motion JPEG)"), ".avi", "AVI (*.avi)"},
          {QObject::tr("a film (MP4)"), ".mp4", "MP4 (*.mp4)"},
          {QObject::tr("a film as images (a folder of PNG files)"), "",
           QObject::tr("A new folder (*)")}};
}

void addChoices(QComboBox* box, const QList<FilmChoice>& choices) {
  for (const FilmChoice& choice : choices)
    box->addItem(choice.words);
}

}  // namespace headlight
