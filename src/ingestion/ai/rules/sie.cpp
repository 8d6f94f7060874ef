// sie.cpp — writes SIE 4.
#include "ingestion/ai/rules/sie.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"
#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

// The letters of code page 437 that Swedish, and its neighbours' names, need.
constexpr auto kLetters = std::to_array<std::pair<std::string_view, unsigned char>>(
    {{"Ç", 0x80}, {"ü", 0x81}, {"é", 0x82}, {"â", 0x83}, {"ä", 0x84}, {"à", 0x85},
     {"å", 0x86}, {"ç", 0x87}, {"ê", 0x88}, {"ë", 0x89}, {"è", 0x8A}, {"ï", 0x8B},
     {"î", 0x8C}, {"ì", 0x8D}, {"Ä", 0x8E}, {"Å", 0x8F}, {"É", 0x90}, {"æ", 0x91},
     {"Æ", 0x92}, {"ô", 0x93}, {"ö", 0x94}, {"ò", 0x95}, {"û", 0x96}, {"ù", 0x97},
     {"ÿ", 0x98}, {"Ö", 0x99}, {"Ü", 0x9A}, {"£", 0x9C}, {"¥", 0x9D}, {"á", 0xA0},
     {"í", 0xA1}, {"ó", 0xA2}, {"ú", 0xA3}, {"ñ", 0xA4}, {"Ñ", 0xA5}, {"ß", 0xE1}});

std::string pc8(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto length = std::max<std::size_t>(1, base::utf8_sequence(text));
        const auto letter = text.substr(0, length);
        text.remove_prefix(length);
        if (length == 1) {
            const auto byte = static_cast<unsigned char>(letter[0]);
            out += byte >= 0x20 && byte < 0x7F ? letter[0] : byte < 0x20 ? ' ' : '?';
            continue;
        }
        const auto found = std::find_if(kLetters.begin(), kLetters.end(),
                                        [&](const auto& entry) { return entry.first == letter; });
        out += found == kLetters.end() ? '?' : static_cast<char>(found->second);
    }
    return out;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : pc8(text)) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

std::string day(const Date& date) {
    return fmt::format("{:04}{:02}{:02}", date.year, date.month, date.day);
}

void check(const SieVerification& verification, std::size_t number) {
    Decimal sum;
    for (const auto& entry : verification.entries) {
        sum = sum + entry.debit - entry.credit;
        if (entry.account.empty() || digit_count(entry.account) != entry.account.size()) {
            throw Error{
                ErrorCode::InvalidArgument,
                fmt::format("verification {}: account '{}' is no number", number, entry.account)};
        }
    }
    if (!sum.is_zero()) {
        throw Error{ErrorCode::InvalidArgument,
                    fmt::format("verification {}: debits and credits differ by {}", number,
                                money_text(sum))};
    }
    if (!verification.date.is_valid())
        throw Error{ErrorCode::InvalidArgument, fmt::format("verification {} has no date", number)};
}

}  // namespace

std::string sie_file(const SieFile& file) {
    std::string out;
    const auto line = [&](const std::string& text) { out += text + "\r\n"; };
    line("#FLAGGA 0");
    line(fmt::format("#PROGRAM {} {}", quoted(file.program), quoted(file.program_version)));
    line("#FORMAT PC8");
    if (file.generated.is_valid()) line("#GEN " + day(file.generated));
    line("#SIETYP 4");
    if (!file.comment.empty()) line("#PROSA " + quoted(file.comment));
    if (!file.orgnr.empty()) line("#ORGNR " + pc8(file.orgnr));
    line("#FNAMN " + quoted(file.company));
    for (const auto& account : file.accounts)
        line(fmt::format("#KONTO {} {}", pc8(account.number), quoted(account.name)));
    for (std::size_t i = 0; i < file.verifications.size(); ++i) {
        const auto& verification = file.verifications[i];
        check(verification, i + 1);
        line(fmt::format("#VER {} {} {} {}", quoted("A"), quoted(fmt::format("{:04}", i + 1)),
                         day(verification.date), quoted(verification.text)));
        line("{");
        for (const auto& entry : verification.entries) {
            line(fmt::format("   #TRANS {} {{}} {} {} {}", entry.account,
                             money_text(entry.debit - entry.credit), day(verification.date),
                             quoted(entry.text)));
        }
        line("}");
    }
    return out;
}

}  // namespace belay::ai::rules
