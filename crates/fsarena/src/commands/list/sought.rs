//! What `fsarena list WORD` looks for.

/// Words for one kind of work, as people, programs and packages name it. A word of a topic finds what has any of its
/// words.
const TOPICS: [&[&str]; 8] = [
    &["database", "sql", "oltp", "postgres", "postgresql", "pgbench", "mysql", "mariadb", "sqlite"],
    &["mail", "maildir", "mailbox", "imap", "smtp", "dovecot", "postfix"],
    &["git", "repository", "checkout", "clone"],
    &["build", "compile", "compiler", "gcc"],
    &["container", "docker", "podman"],
    &["vm", "virtual", "qemu", "qcow2", "libvirt"],
    &["web", "http", "apache", "nginx"],
    &["developer", "npm", "node", "node_modules"],
];

/// Length from which on a word of a topic also stands for words that begin with it, such as `compiles`.
const STEM: usize = 5;

/// A word, and the words of its topic.
pub struct Sought {
    word: String,
    /// Empty if the word has no topic.
    topic: &'static [&'static str],
}

impl Sought {
    /// The word with its topic, in any case, and in the plural.
    pub fn new(word: &str) -> Self {
        let word = word.to_lowercase();
        let is_of = |topic: &&&[&str]| topic.iter().any(|known| is_form_of(&word, known));
        Self { topic: TOPICS.iter().find(is_of).copied().unwrap_or_default(), word }
    }

    /// Whether the word has a topic.
    pub fn has_topic(&self) -> bool {
        !self.topic.is_empty()
    }

    /// Whether one of the texts has a word of the topic, or contains the word if it has no topic.
    pub fn is_in(&self, texts: &[String]) -> bool {
        let texts: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
        let mut words = texts.iter().flat_map(|text| text.split(|part: char| !part.is_alphanumeric() && part != '_'));
        match self.has_topic() {
            true => words.any(|word| self.topic.iter().any(|known| is_form_of(word, known))),
            false => texts.iter().any(|text| text.contains(&self.word)),
        }
    }
}

fn is_form_of(word: &str, known: &str) -> bool {
    let ending = word.strip_prefix(known);
    ending.is_some_and(|ending| ending.is_empty() || ending == "s" || known.len() >= STEM)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(word: &str, text: &str) -> bool {
        Sought::new(word).is_in(&[text.to_owned()])
    }

    #[test]
    fn a_word_of_a_topic_finds_what_has_any_of_its_words() {
        for word in ["database", "Databases", "postgres", "PostgreSQL", "mysql"] {
            assert!(finds(word, "Transactions in MariaDB") && finds(word, "phoronix-pgbench"), "{word}");
            assert!(!finds(word, "A mail spool"), "{word}");
        }
        assert!(finds("node_modules", "npm packages") && finds("compiler", "C files are compiled"));
    }

    #[test]
    fn short_words_of_topics_are_whole_words() {
        assert!(finds("git", "git-clone") && finds("vm", "Two VMs"));
        assert!(!finds("git", "digits") && !finds("vm", "vmlinux"));
    }

    #[test]
    fn a_word_without_a_topic_is_found_as_it_is() {
        assert!(finds("spool", "A mail SPOOLER") && !finds("spool", "mail"));
    }

    #[test]
    fn each_word_has_one_topic() {
        let words: Vec<&&str> = TOPICS.iter().flat_map(|topic| topic.iter()).collect();
        assert_eq!(words.iter().collect::<std::collections::BTreeSet<_>>().len(), words.len());
    }
}
