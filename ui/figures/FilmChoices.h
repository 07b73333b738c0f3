// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The film formats that dialogs offer.

#include <QList>
#include <QString>

class QComboBox;

namespace headlight {

struct FilmChoice {
  QString words, ending, filter;  ///< "a film (GIF)", ".gif", "GIF (*.gif)"
};

/// One for each FilmFormat, in its order.
QList<FilmChoice> filmChoices();

void addChoices(QComboBox* box, const QList<FilmChoice>& choices);

}  // namespace headlight
